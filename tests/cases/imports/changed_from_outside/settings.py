def hook():
    pass


def run():
    hook()
