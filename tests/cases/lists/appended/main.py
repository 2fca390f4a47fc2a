def a():
    pass


def b():
    pass


queue = []
queue.append(a)
queue.append(b)
queue[1]()
