def one():
    pass


def two():
    pass


table = {"k": one, "d": two}
table.pop("k")()
del table["d"]
table["d"] = one
table["d"]()
