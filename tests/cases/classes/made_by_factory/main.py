class Cat:
    def speak(self):
        pass


class Dog:
    def speak(self):
        pass


def make(kind):
    return kind()


def cat():
    make(Cat).speak()


def dog():
    make(Dog).speak()


cat()
dog()
