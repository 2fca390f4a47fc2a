class Lamp:
    def on(self):
        return self.off

    def off(self):
        return self.on


Lamp().on()()()
