def act():
    pass


class First:
    pass


class Second:
    action = staticmethod(act)


class Both(First, Second):
    pass


Both().action()
