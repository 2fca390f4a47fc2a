def good(x):
    return True


any(good(x) for x in [1])
all([good(x) for x in [1]])
