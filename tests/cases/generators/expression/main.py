def one():
    pass


def make(action):
    return action


for made in (make(action) for action in [one]):
    made()
