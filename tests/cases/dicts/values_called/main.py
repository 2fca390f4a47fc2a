def a():
    pass


def b():
    pass


for action in {"a": a, "b": b}.values():
    action()
