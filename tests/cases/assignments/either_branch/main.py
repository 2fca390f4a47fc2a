import sys


def fast():
    pass


def slow():
    pass


if len(sys.argv) > 100:
    action = fast
else:
    action = slow
action()
