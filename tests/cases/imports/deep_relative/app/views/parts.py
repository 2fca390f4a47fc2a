def header():
    pass
