def start():
    pass


def stop():
    pass


class Machine:
    pass


machine = Machine()
for name, action in {"start": start, "stop": stop}.items():
    setattr(machine, name, action)
machine.start()
