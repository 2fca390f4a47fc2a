class Plain:
    pass


def fallback():
    pass


getattr(Plain(), "missing", fallback)()
