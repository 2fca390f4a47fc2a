def one():
    pass


def two():
    pass


calls = []
for action in (one, two):
    calls.append(lambda bound=action: bound())
calls[0]()
