import sys


def a():
    pass


def b():
    pass


(a if len(sys.argv) > 100 else b)()
(None or b)()
