def counter(step):
    count = 0

    def advance():
        nonlocal count
        count += step()
        return count

    return advance


def two():
    return 2


advance = counter(two)
advance()
