from functools import singledispatch


@singledispatch
def show(value):
    pass


@show.register(int)
def show_number(value):
    pass


show(1)
show("x")
