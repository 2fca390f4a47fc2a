def one():
    pass


def two():
    pass


for action in [one, two]:
    action()
