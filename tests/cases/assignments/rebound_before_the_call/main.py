def old():
    pass


def new():
    pass


action = old
action = new
action()
