def leaf():
    pass


def middle(action):
    action()


def top(action, inner):
    action(inner)


top(middle, leaf)
