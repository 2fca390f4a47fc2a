def make(base):
    class Made(base):
        def run(self):
            self.helper()

    return Made


class Base:
    def helper(self):
        pass


make(Base)().run()
