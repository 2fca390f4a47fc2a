def a():
    pass


def b():
    pass


first = list(reversed([a, b]))[0]
first()
