import sys


def early():
    pass


def late():
    pass


def run():
    action = late
    if len(sys.argv) > 100:
        action = early
        return
    action()


run()
