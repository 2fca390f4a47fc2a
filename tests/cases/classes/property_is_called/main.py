class Shape:
    def __init__(self, side):
        self._side = side

    @property
    def area(self):
        return self.measure()

    @area.setter
    def area(self, value):
        self.resize(value)

    def measure(self):
        return self._side

    def resize(self, value):
        self._side = value


shape = Shape(2)
shape.area = shape.area + 1
