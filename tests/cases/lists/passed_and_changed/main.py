def a():
    pass


def b():
    pass


def fill(actions):
    actions.append(b)


actions = []
fill(actions)
actions[0]()
