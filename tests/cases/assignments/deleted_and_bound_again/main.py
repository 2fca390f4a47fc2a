def a():
    pass


def b():
    pass


action = a
del action
action = b
action()
