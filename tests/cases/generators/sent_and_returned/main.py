def finish():
    pass


def work():
    yield 1
    return finish


def run():
    result = yield from work()
    result()


list(run())
