import enum


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2

    def describe(self):
        pass


def quick():
    pass


def steady():
    pass


table = {Mode.FAST: quick, Mode.SLOW: steady}
Mode.FAST.describe()
table[Mode.SLOW]()
