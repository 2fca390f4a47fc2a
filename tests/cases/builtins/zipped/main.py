def a(x):
    pass


def b(x):
    pass


for action, value in zip([a, b], [1, 2]):
    action(value)
