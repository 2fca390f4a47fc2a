def repeat(times):
    def decorate(function):
        def wrapper():
            for _ in range(times):
                function()

        return wrapper

    return decorate


@repeat(2)
def hello():
    pass


hello()
