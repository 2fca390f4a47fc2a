class Shape:
    def __init__(self, size):
        self.size = size

    def area(self):
        return self.compute()
