from dataclasses import dataclass, field


def tick():
    pass


class Log:
    def write(self):
        pass


@dataclass
class Clock:
    action: object
    log: Log = field(default_factory=Log)

    def __post_init__(self):
        self.ready()

    def ready(self):
        pass

    def run(self):
        self.action()
        self.log.write()


Clock(tick).run()
