def a():
    pass


def b():
    pass


first = {"k": a}
second = dict(first)
second["k"] = b
first["k"]()
