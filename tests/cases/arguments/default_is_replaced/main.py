def unused_default():
    pass


def given():
    pass


def run(action=unused_default):
    action()


run(given)
