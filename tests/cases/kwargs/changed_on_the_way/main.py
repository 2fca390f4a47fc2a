def old():
    pass


def new():
    pass


def inner(action):
    action()


def outer(**options):
    options["action"] = new
    inner(**options)


outer(action=old)
