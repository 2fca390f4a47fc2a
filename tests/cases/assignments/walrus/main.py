def work():
    pass


def find():
    return work


if (found := find()) is not None:
    found()
