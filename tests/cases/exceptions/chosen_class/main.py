class Problem(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.note()

    def note(self):
        pass


class Grave(Problem):
    def note(self):
        pass


kinds = {"grave": Grave}


def fail(kind):
    raise kinds[kind]("x") from None


try:
    fail("grave")
except Problem:
    pass
