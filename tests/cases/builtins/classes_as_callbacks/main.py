class Wrapped:
    def __init__(self, value):
        self.value = value

    def show(self):
        pass


for wrapped in map(Wrapped, [1, 2]):
    wrapped.show()
