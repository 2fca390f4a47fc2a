def guarded(function):
    def wrapper(self):
        self.check()
        return function(self)

    return wrapper


class Door:
    def check(self):
        pass

    @guarded
    def open(self):
        pass


Door().open()
