def helper():
    pass


def work():
    work.helper()


work.helper = helper
work()
