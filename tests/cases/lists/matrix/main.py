def a():
    pass


def b():
    pass


grid = [[a, b] for _ in range(2)]
grid[1][0]()
