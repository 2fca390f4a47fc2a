class Config:
    pass


def act():
    pass


config = Config()
config.inner = Config()
config.inner.action = act
config.inner.action()
