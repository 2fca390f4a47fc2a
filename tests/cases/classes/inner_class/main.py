class Outer:
    class Inner:
        def work(self):
            pass

    def make(self):
        return self.Inner()


Outer().make().work()
