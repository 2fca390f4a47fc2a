def keep(x):
    return True


def double(x):
    return x


list(map(double, filter(keep, [1, 2])))
