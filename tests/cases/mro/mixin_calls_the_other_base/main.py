class Saving:
    def save(self):
        self.encode()


class Json:
    def encode(self):
        pass


class Document(Saving, Json):
    pass


Document().save()
