def start():
    pass


def stop():
    pass


action = start


def switch():
    global action
    action = stop


switch()
action()
