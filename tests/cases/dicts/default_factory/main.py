from collections import defaultdict


def make():
    return work


def work():
    pass


table = defaultdict(make)
table["x"]()
