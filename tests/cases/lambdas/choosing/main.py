def big():
    pass


def small():
    pass


pick = lambda size: big if size else small
pick(1)()
pick(0)()
