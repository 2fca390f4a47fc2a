def plus():
    pass


def minus():
    pass


names = ["plus", "minus"]
table = {name: action for name, action in zip(names, [plus, minus])}
table["minus"]()
