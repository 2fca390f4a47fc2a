class Stop(Exception):
    def why(self):
        pass


def inner():
    raise Stop()


def outer():
    inner()


def run():
    try:
        outer()
    except (KeyError, Stop) as stop:
        stop.why()


run()
