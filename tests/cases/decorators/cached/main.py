import functools


def expensive():
    pass


@functools.lru_cache(maxsize=None)
def load():
    expensive()


@functools.cache
def more():
    expensive()


load()
more()
