import sys


class Shell:
    def do_help(self):
        pass

    def do_quit(self):
        pass

    def prepare(self):
        pass

    def run(self, word):
        getattr(self, f"do_{word}")()
        getattr(self, "do_" + word)()


for word in sys.argv[1:] or ["help", "quit"]:
    Shell().run(word)
