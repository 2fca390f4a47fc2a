import fast
import slow


def run(module):
    module.work()


run(fast)
for module in (fast, slow):
    module.other()
