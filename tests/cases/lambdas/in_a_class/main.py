class Menu:
    entries = {
        "show": lambda menu: menu.show(),
    }

    def show(self):
        pass

    def pick(self, name):
        self.entries[name](self)


Menu().pick("show")
