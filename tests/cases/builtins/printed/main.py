class Shown:
    def __str__(self):
        return "x"


class Measured:
    def __repr__(self):
        return "y"

    def __len__(self):
        return 0


str(Shown())
repr(Measured())
len(Measured())
