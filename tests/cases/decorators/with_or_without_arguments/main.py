def option(function=None, *, name=""):
    def decorate(inner):
        def wrapper():
            inner()

        return wrapper

    if callable(function):
        return decorate(function)
    return decorate


@option
def one():
    pass


@option(name="x")
def two():
    pass


one()
two()
