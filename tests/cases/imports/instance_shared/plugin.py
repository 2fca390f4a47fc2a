from state import registry


def work():
    pass


registry.add(work)
