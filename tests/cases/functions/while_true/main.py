def step():
    pass


def last():
    pass


def run():
    action = step
    while True:
        action()
        if action is last:
            break
        action = last


run()
