from ..core import render
from . import parts


def show():
    render()
    parts.header()
