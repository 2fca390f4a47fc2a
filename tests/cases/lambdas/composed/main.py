def inc(x):
    return x


def dec(x):
    return x


def compose(f, g):
    return lambda x: f(g(x))


compose(inc, dec)(1)
