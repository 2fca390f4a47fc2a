def a():
    pass


def b():
    pass


def c():
    pass


both = [a] + [b, c]
both[2]()
both += [a]
both[3]()
