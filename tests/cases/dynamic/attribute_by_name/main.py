class Server:
    def do_get(self):
        pass

    def do_put(self):
        pass

    def handle(self, verb):
        getattr(self, "do_" + verb)()


Server().handle("get")
