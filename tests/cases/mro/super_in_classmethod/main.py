class Base:
    @classmethod
    def make(cls):
        return cls()

    def go(self):
        pass


class Child(Base):
    @classmethod
    def make(cls):
        return super().make()

    def go(self):
        pass


Child.make().go()
