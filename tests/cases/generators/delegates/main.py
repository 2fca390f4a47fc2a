def one():
    pass


def two():
    pass


def inner():
    yield one


def outer():
    yield from inner()
    yield two


for action in outer():
    action()
