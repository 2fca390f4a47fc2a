class Calculator:
    def add(self):
        pass

    def subtract(self):
        pass

    table = {"+": add, "-": subtract}

    def run(self, sign):
        self.table[sign](self)


Calculator().run("+")
