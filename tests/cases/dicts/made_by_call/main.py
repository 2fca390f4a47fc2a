def a():
    pass


def b():
    pass


table = dict(a=a, **{"b": b})
table["b"]()
dict([("x", a)])["x"]()
