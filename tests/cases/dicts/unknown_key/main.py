import sys


def one():
    pass


def two():
    pass


table = {"one": one, "two": two}
for name in sys.argv[:0] or ["one", "two"]:
    table[name]()
