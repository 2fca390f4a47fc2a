def same(value):
    return value


def left():
    pass


def right():
    pass


def use_left():
    same(left)()


def use_right():
    same(right)()


use_left()
use_right()
