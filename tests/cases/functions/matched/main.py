def on_point():
    pass


def on_list(item):
    item()


def act():
    pass


class Point:
    def __init__(self):
        self.x = on_point


def use(value):
    match value:
        case Point(x=action):
            action()
        case [item, *_]:
            on_list(item)


use(Point())
use([act])
