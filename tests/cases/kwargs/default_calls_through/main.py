def log():
    pass


def work(on_done=None):
    (on_done or log)()


work()
