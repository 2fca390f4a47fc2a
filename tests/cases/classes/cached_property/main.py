from functools import cached_property


class Page:
    @cached_property
    def parser(self):
        return Parser()


class Parser:
    def parse(self):
        pass


page = Page()
page.parser.parse()
