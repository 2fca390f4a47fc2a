from functools import partial


class Timer:
    def fire(self, action):
        action()


def ring():
    pass


partial(Timer().fire, action=ring)()
