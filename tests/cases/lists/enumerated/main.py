def one():
    pass


def two():
    pass


table = {}
for number, action in enumerate([one, two]):
    table[number] = action
table[1]()
