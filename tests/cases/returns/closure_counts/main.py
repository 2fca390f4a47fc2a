def step():
    pass


def make(action):
    def run():
        action()

    def stop():
        pass

    return run, stop


run, stop = make(step)
run()
