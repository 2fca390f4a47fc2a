def one():
    pass


def two():
    pass


work = [one, two]
while work:
    work.pop(0)()
