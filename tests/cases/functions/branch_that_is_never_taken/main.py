def fallback():
    pass


def given():
    pass


def run(action=None):
    if action is None:
        action = fallback
    action()


run(given)
