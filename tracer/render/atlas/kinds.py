"""The kinds of pages, in the order of the bar. A new kind is a module of `pages/` and its name here.

The first page is no kind: it shows what all of them offer.
"""

from __future__ import annotations

from tracer.render.atlas.page import Kind
from tracer.render.atlas.pages import calculator, changes, faults, files, gaps, questions, roles

KINDS: tuple[Kind, ...] = (roles, files, questions, faults, changes, calculator, gaps)
