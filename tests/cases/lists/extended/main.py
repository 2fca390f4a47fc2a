def a():
    pass


def b():
    pass


actions = [a]
actions.extend([b])
actions[1]()
