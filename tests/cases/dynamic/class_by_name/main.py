class Reader:
    def run(self):
        pass


class Writer:
    def run(self):
        pass


kinds = {"reader": Reader, "writer": Writer}


def make(name):
    return kinds[name]()


make("writer").run()
