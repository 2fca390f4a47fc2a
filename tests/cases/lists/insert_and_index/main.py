def a():
    pass


def b():
    pass


actions = [a]
actions.insert(0, b)
for action in actions:
    action()
