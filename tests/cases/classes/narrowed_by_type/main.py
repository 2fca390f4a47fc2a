class Text:
    def show(self):
        pass


class Number:
    def show(self):
        pass

    def round(self):
        pass


def use(value):
    if isinstance(value, Number):
        value.round()
    else:
        value.show()


use(Number())
use(Text())
