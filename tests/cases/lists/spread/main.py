def a():
    pass


def b():
    pass


def c():
    pass


parts = [*[a], *(b, c)]
parts[2]()
