class App:
    def __init__(self):
        self.routes = {}

    def route(self, path):
        def register(function):
            self.routes[path] = function
            return function

        return register

    def serve(self, path):
        return self.routes[path]()


app = App()


@app.route("/")
def index():
    pass


@app.route("/about")
def about():
    pass


app.serve("/")
