class Plugin:
    known = []

    def __init_subclass__(cls):
        Plugin.known.append(cls)

    def run(self):
        pass


class Alpha(Plugin):
    def run(self):
        pass


class Beta(Plugin):
    pass


for plugin in Plugin.known:
    plugin().run()
