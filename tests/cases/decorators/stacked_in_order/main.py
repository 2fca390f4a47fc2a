def outer(function):
    def outer_wrapper():
        function()

    return outer_wrapper


def inner(function):
    def inner_wrapper():
        function()

    return inner_wrapper


@outer
@inner
def target():
    pass


target()
