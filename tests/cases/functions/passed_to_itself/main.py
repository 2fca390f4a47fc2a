def apply(function, value):
    return function(value)


def leaf(value):
    return value


apply(apply, leaf) if False else apply(leaf, 1)
