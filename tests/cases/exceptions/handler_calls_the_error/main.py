class Failure(Exception):
    def report(self):
        pass


def run():
    raise Failure


try:
    run()
except Failure as error:
    error.report()
