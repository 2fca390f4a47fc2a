def one():
    pass


def two():
    pass


def three():
    pass


(head, *tail), last = [one, two], three
head()
tail[0]()
last()
