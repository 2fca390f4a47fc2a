def work():
    pass


class Tree:
    def __iter__(self):
        yield work


for action in Tree():
    action()
