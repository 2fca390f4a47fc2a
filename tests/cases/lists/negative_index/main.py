def a():
    pass


def b():
    pass


[a, b][-1]()
