def silent(function):
    return lambda: function()


@silent
def hello():
    pass


hello()
