def read():
    return None


for item in iter(read, None):
    pass
