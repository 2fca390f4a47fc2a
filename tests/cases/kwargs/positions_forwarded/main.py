def leaf():
    pass


def inner(first, second):
    second()


def outer(*values):
    inner(*values)


outer(None, leaf)
