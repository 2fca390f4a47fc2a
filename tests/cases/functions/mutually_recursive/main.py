def finish():
    pass


def even(n, action):
    if n == 0:
        action()
        return
    odd(n - 1, action)


def odd(n, action):
    if n == 0:
        return
    even(n - 1, action)


even(4, finish)
