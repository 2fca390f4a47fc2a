class A:
    def run(self):
        self.step()

    def step(self):
        pass


class B(A):
    def step(self):
        super().step()


class C(B):
    pass


C().run()
