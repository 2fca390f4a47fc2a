class Table(dict):
    def __missing__(self, key):
        return fallback


def fallback():
    pass


def known():
    pass


table = Table()
table["known"] = known
table["known"]()
table["other"]()
