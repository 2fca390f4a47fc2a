from ..helpers import help_out


def work():
    help_out()
