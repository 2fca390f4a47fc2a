def name(x):
    return str(x)


",".join(map(name, [1, 2]))
