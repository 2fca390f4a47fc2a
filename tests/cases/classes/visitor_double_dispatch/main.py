class Leaf:
    def accept(self, visitor):
        visitor.visit_leaf(self)


class Pair:
    def __init__(self, left, right):
        self.parts = [left, right]

    def accept(self, visitor):
        visitor.visit_pair(self)


class Printer:
    def visit_leaf(self, leaf):
        pass

    def visit_pair(self, pair):
        for part in pair.parts:
            part.accept(self)


Pair(Leaf(), Leaf()).accept(Printer())
