from operator import attrgetter, itemgetter, methodcaller


def act():
    pass


class Part:
    def __init__(self):
        self.action = act

    def turn(self):
        pass


part = Part()
attrgetter("action")(part)()
itemgetter("k")({"k": act})()
methodcaller("turn")(part)
