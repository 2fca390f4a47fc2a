def greet(self):
    pass


Made = type("Made", (), {"greet": greet})
Made().greet()
