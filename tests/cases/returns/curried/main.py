def leaf():
    pass


def outer(a):
    def middle(b):
        def inner():
            a()
            b()

        return inner

    return middle


def other():
    pass


outer(leaf)(other)()
