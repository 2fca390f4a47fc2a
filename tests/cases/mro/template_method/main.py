class Report:
    def write(self):
        self.header()
        self.body()

    def header(self):
        pass

    def body(self):
        raise NotImplementedError


class Short(Report):
    def body(self):
        pass


Short().write()
