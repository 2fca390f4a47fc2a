class Registry:
    def __init__(self):
        self.actions = []

    def add(self, action):
        self.actions.append(action)

    def run(self):
        for action in self.actions:
            action()


registry = Registry()
