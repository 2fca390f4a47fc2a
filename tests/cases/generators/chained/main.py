import itertools


def a():
    pass


def b():
    pass


for action in itertools.chain([a], [b]):
    action()
