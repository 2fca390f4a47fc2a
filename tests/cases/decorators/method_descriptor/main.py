class method_of:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        def bound():
            return self.function(instance)

        return bound


class Tool:
    @method_of
    def use(self):
        self.clean()

    def clean(self):
        pass


Tool().use()
