def first(self):
    pass


def second(self):
    pass


class Thing:
    run = first


Thing.run = second
Thing().run()
