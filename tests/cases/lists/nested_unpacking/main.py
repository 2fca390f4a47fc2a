def a():
    pass


def b():
    pass


def c():
    pass


for (first, second), third in [((a, b), c)]:
    second()
