def leaf():
    pass


outer = lambda: (
    lambda: leaf()
)
outer()()
