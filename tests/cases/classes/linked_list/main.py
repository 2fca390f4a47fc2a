class Node:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest

    def each(self, action):
        action(self)
        if self.rest:
            self.rest.each(action)


def show(node):
    pass


Node(1, Node(2)).each(show)
