def done():
    pass


def walk(depth, action):
    if depth:
        return walk(depth - 1, action)
    return action


walk(3, done)()
