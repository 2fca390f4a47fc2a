class A:
    def __init__(self):
        self.hook()

    def hook(self):
        pass


class B(A):
    def __init__(self):
        A.__init__(self)

    def hook(self):
        pass


B()
