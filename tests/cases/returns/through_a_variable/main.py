def leaf():
    pass


def deep():
    result = leaf
    return result


def middle():
    value = deep()
    return value


middle()()
