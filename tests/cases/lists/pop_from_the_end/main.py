def a():
    pass


def b():
    pass


stack = [a, b]
stack.pop()()
