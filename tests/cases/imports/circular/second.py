import first


def answer():
    first.finish()
