def work():
    pass


def other():
    pass


def find(names):
    for name in names:
        if name:
            return work


def run(found):
    if found is None:
        other()
    else:
        found()


run(find([1]))
run(find([]))
