class Worker:
    def run(self):
        pass


def start(worker):
    worker.run()


for _ in map(start, [Worker()]):
    pass
