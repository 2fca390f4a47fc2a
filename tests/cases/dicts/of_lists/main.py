from collections import defaultdict


def on_a():
    pass


def on_b():
    pass


listeners = defaultdict(list)
listeners["a"].append(on_a)
listeners["b"].append(on_b)
for listener in listeners["a"]:
    listener()
