def target():
    pass


get = lambda: target
get()()
