import functools


def option(function=None, *, name=""):
    if function is None:
        return functools.partial(option, name=name)

    def wrapper():
        return function()

    return wrapper


@option(name="x")
def work():
    pass


work()
