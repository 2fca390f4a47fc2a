def known():
    pass


def fallback():
    pass


table = {"known": known}
table.get("known")()
table.get("missing", fallback)()
