def traced(function):
    def wrapper():
        return function()

    return wrapper


@traced
def one():
    pass


@traced
def two():
    pass


def run():
    one()


run()
