handlers = {}


def handles(name):
    def register(function):
        handlers[name] = function
        return function

    return register


@handles("open")
def on_open():
    pass


@handles("close")
def on_close():
    pass


def dispatch(name):
    handlers[name]()


dispatch("close")
