class Holder:
    def __init__(self):
        self.__dict__["action"] = act


def act():
    pass


Holder().action()
vars(Holder())["action"]()
