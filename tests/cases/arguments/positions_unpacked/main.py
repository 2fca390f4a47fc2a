def first():
    pass


def second():
    pass


def third():
    pass


def run(a, b, c):
    a()
    b()
    return c


steps = (second, third)
run(first, *steps)()
