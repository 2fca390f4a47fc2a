__all__ = ["hammer"]


def hammer():
    saw()


def saw():
    pass
