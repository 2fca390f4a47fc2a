def work():
    pass


eval("work")()
