class Number:
    pass


class Text:
    pass


class Other:
    pass


class Visitor:
    def visit(self, node):
        method = getattr(self, "visit_" + type(node).__name__, self.generic)
        return method(node)

    def visit_Number(self, node):
        pass

    def visit_Text(self, node):
        pass

    def generic(self, node):
        pass


Visitor().visit(Number())
Visitor().visit(Other())
