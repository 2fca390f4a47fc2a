def ping():
    pass


def pong():
    pass


def make():
    current = ping

    def turn():
        nonlocal current
        current = pong

    turn()
    return current


make()()
