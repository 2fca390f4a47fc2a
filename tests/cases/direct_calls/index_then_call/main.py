def one():
    pass


def pair():
    return (one, None)


pair()[0]()
