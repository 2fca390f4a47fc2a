def work():
    pass


def other():
    pass


globals()["work"]()
