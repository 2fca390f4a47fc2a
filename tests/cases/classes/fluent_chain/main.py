class Query:
    def where(self):
        return self

    def limit(self):
        return self

    def run(self):
        pass


Query().where().limit().run()
