class Single:
    kept = None

    def __new__(cls):
        if cls.kept is None:
            cls.kept = super().__new__(cls)
        return cls.kept

    def work(self):
        pass


Single().work()
