class Subject:
    def __init__(self):
        self._observers = []

    def attach(self, observer):
        self._observers.append(observer)

    def notify(self):
        for observer in self._observers:
            observer.update(self)


class Screen:
    def update(self, subject):
        pass


class Audit:
    def update(self, subject):
        self.write()

    def write(self):
        pass


subject = Subject()
subject.attach(Screen())
subject.attach(Audit())
subject.notify()
