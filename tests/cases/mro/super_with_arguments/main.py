class Top:
    def run(self):
        pass


class Middle(Top):
    def run(self):
        pass


class Low(Middle):
    def run(self):
        super(Middle, self).run()


Low().run()
