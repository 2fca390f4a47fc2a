class Total:
    def __iadd__(self, other):
        self.check(other)
        return self

    def check(self, other):
        pass


total = Total()
total += 1
