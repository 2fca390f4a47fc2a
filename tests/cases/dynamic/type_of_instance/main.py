class Node:
    def copy(self):
        return type(self)()

    def visit(self):
        pass


class Leaf(Node):
    def visit(self):
        pass


Leaf().copy().visit()
