def plain(_self):
    pass


class Task:
    run = plain

    def start(self):
        self.run()


Task().start()
