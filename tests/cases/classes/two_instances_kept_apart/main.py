class Runner:
    def __init__(self, action):
        self.action = action


def red():
    pass


def blue():
    pass


def use(runner):
    runner.action()


first = Runner(red)
second = Runner(blue)
use(first)
