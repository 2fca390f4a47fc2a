class Disk:
    def write(self):
        pass


class Cache:
    def __init__(self, disk):
        self.disk = disk


class Server:
    def __init__(self):
        self.cache = Cache(Disk())

    def handle(self):
        self.cache.disk.write()
        disk = self.cache.disk
        disk.write()


Server().handle()
