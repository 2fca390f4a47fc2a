import sys


def yes():
    pass


def no():
    pass


def pick():
    if len(sys.argv) > 100:
        return yes
    return no


pick()()
