def up():
    pass


def down():
    pass


moves = {("y", 1): up, ("y", -1): down}
moves["y", 1]()
