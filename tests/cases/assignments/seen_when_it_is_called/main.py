def before():
    pass


def after():
    pass


def run():
    action()


action = before
action = after
run()
