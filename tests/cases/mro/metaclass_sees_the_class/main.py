class Registry(type):
    known = {}

    def __new__(mcs, name, bases, body):
        made = super().__new__(mcs, name, bases, body)
        return made

    def __init__(cls, name, bases, body):
        cls.register(name)

    def register(cls, name):
        pass


class Item(metaclass=Registry):
    def work(self):
        pass


Item().work()
