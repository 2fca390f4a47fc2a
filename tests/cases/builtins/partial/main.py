from functools import partial


def leaf():
    pass


def run(action, times):
    action()


bound = partial(run, leaf)
bound(2)
