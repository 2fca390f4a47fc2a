def one():
    pass


actions = [
    lambda: one(),
    lambda: None,
]
actions[0]()
