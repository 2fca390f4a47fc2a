def fallback():
    pass


def chosen():
    pass


def run(action=fallback):
    action()


run()
run(chosen)
