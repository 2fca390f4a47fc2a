def work():
    old()


def work():
    new()


def old():
    pass


def new():
    pass


work()
