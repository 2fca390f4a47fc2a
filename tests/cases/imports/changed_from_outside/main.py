import settings


def mine():
    pass


settings.hook = mine
settings.run()
