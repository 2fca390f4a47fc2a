def with_hello(cls):
    def hello(self):
        self.name()

    cls.hello = hello
    return cls


@with_hello
class Person:
    def name(self):
        pass


Person().hello()
