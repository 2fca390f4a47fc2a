def weight(x):
    return x


sorted([2, 1], key=weight)
max([2, 1], key=weight)
