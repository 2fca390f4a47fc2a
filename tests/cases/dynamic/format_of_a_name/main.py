class Api:
    def get_user(self):
        pass

    def get_item(self):
        pass


def call(api, what):
    return getattr(api, "get_{}".format(what))()


call(Api(), "user")
