class Point:
    def __init__(self, x):
        self.x = x

    @classmethod
    def origin(cls):
        return cls(0)

    def move(self):
        pass


class Marked(Point):
    def move(self):
        pass


Point.origin().move()
Marked.origin().move()
