def write():
    pass


def read():
    pass


def relay(**actions):
    return actions["read"]


relay(write=write, read=read)()
