class Adder:
    def __init__(self, action):
        self.action = action

    def __call__(self):
        return self.action()


def compute():
    return 1


add = Adder(compute)
add()
