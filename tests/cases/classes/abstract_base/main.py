from abc import ABC, abstractmethod


class Store(ABC):
    @abstractmethod
    def put(self):
        pass

    def save(self):
        self.put()


class Disk(Store):
    def put(self):
        pass


Disk().save()
