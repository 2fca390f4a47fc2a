from contextlib import ExitStack


class Resource:
    def __enter__(self):
        return self

    def __exit__(self, *details):
        pass

    def use(self):
        pass


with ExitStack() as stack:
    resource = stack.enter_context(Resource())
    resource.use()
