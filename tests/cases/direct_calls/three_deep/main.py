def a():
    def b():
        def c():
            pass

        return c

    return b


a()()()
