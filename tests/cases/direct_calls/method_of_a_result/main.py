class Thing:
    def work(self):
        return self.more

    def more(self):
        pass


def make():
    return Thing()


make().work()()
