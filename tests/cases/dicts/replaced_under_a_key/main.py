def old():
    pass


def new():
    pass


def other():
    pass


table = {"a": old, "b": other}
table["a"] = new
table["a"]()
