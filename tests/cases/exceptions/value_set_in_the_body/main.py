def one():
    pass


def two():
    pass


action = one
try:
    action = two
    raise ValueError
except ValueError:
    action()
