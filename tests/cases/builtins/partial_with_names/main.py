from functools import partial


def run(action, other):
    action()
    other()


def a():
    pass


def b():
    pass


partial(run, other=b)(a)
