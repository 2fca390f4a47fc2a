from contextlib import contextmanager


def close():
    pass


class Handle:
    def read(self):
        pass


@contextmanager
def opened():
    handle = Handle()
    try:
        yield handle
    finally:
        close()


with opened() as handle:
    handle.read()
