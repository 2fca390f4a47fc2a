class Registry:
    def __init__(self):
        self.tables = {}

    def add(self, group, name, action):
        self.tables.setdefault(group, {})[name] = action

    def run(self, group, name):
        self.tables[group][name]()


def a():
    pass


def b():
    pass


registry = Registry()
registry.add("g", "a", a)
registry.add("g", "b", b)
registry.run("g", "a")
