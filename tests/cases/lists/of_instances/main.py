class Step:
    def __init__(self, action):
        self.action = action

    def run(self):
        self.action()


def one():
    pass


def two():
    pass


steps = [Step(action) for action in (one, two)]
steps[0].run()
