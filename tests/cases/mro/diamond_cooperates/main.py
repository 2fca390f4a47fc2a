class Base:
    def setup(self):
        pass


class Left(Base):
    def setup(self):
        super().setup()


class Right(Base):
    def setup(self):
        super().setup()


class Both(Left, Right):
    def setup(self):
        super().setup()


Both().setup()
