class Tools:
    @staticmethod
    def hammer():
        pass

    def use(self):
        self.hammer()
        Tools.hammer()


Tools().use()
