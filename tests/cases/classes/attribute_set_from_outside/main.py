class Box:
    def open(self):
        self.action()


def shout():
    pass


box = Box()
box.action = shout
box.open()
