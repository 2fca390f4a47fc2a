class Bag:
    pass


def act():
    pass


bag = Bag()
for name in ("one", "two"):
    setattr(bag, name, act)
bag.two()
