import sys


def a():
    pass


def b():
    pass


chosen = a
for action in [a, b]:
    chosen = action
    if len(sys.argv) > 100:
        break
else:
    chosen = b
chosen()
