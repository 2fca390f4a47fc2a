def a():
    pass


def b():
    pass


def c():
    pass


left = {"x": a, "y": b}
right = {"y": c}
both = {**left, **right}
both["y"]()
(left | right)["x"]()
