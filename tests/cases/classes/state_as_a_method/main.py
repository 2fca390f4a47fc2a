class Machine:
    def __init__(self):
        self.state = self.idle

    def idle(self):
        self.state = self.busy

    def busy(self):
        pass

    def step(self):
        self.state()


machine = Machine()
machine.step()
machine.step()
