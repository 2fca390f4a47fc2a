class Amount:
    def __add__(self, other):
        return Amount()

    def __eq__(self, other):
        return True

    def __getitem__(self, key):
        return self

    def __len__(self):
        return 1

    def __contains__(self, key):
        return False

    def show(self):
        pass


total = Amount() + Amount()
total.show()
total == Amount()
total["a"].show()
len(total)
"a" in total
