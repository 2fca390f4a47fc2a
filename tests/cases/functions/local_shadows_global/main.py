def work():
    pass


def run():
    def work():
        pass

    work()


run()
