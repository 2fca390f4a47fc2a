def one():
    pass


def two():
    pass


def relay(*actions):
    actions[0]()
    return actions[1:]


rest = relay(one, two)
rest[0]()
