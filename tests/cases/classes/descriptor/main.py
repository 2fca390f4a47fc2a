class Field:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return instance.values

    def __set__(self, instance, value):
        self.check(value)
        instance.values = value

    def check(self, value):
        pass


class Row:
    action = Field()


def act():
    pass


row = Row()
row.action = act
row.action()
