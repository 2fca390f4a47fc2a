class Proxy:
    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        return getattr(self._target, name)


class Real:
    def work(self):
        pass


proxy = Proxy(Real())
proxy.work()
