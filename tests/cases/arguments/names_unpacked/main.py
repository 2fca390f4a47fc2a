def load():
    pass


def save():
    pass


def run(*, before, after):
    before()
    after()


hooks = {"before": load, "after": save}
run(**hooks)
