def leaf():
    pass


def inner(action):
    action()


def middle(**options):
    inner(**options)


def outer(**options):
    middle(**options)


outer(action=leaf)
