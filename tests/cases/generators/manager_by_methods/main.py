class Lock:
    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *details):
        self.release()

    def acquire(self):
        pass

    def release(self):
        pass

    def use(self):
        pass


with Lock() as lock:
    lock.use()
