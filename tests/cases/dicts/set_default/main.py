def first():
    pass


def second():
    pass


table = {}
table.setdefault("k", first)
table.setdefault("k", second)()
