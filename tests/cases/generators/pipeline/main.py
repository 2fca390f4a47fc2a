def source():
    yield one
    yield two


def one():
    pass


def two():
    pass


def only(items):
    for item in items:
        yield item


def run(items):
    for item in items:
        item()


run(only(source()))
