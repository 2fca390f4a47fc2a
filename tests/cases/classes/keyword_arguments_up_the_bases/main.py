class Base:
    def __init__(self, action, **rest):
        self.action = action


class Named:
    def __init__(self, name, **rest):
        super().__init__(**rest)
        self.name = name


class Both(Named, Base):
    def __init__(self, **rest):
        super().__init__(**rest)

    def run(self):
        self.action()


def act():
    pass


Both(name="x", action=act).run()
