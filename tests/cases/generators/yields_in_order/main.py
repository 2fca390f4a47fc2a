def one():
    pass


def two():
    pass


def actions():
    yield one
    yield two


iterator = actions()
next(iterator)
next(iterator)()
