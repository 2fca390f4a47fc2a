class Retry(Exception):
    def __init__(self, action):
        self.action = action


def again():
    pass


def run():
    raise Retry(again)


try:
    run()
except Retry as retry:
    retry.action()
