"""The kinds of pages, in the order of the bar. A new kind is a module of `pages/` and its name here.

The first page is no kind: it shows what all of them offer.
"""

from __future__ import annotations

from tracer.render.atlas.page import Kind
from tracer.render.atlas.pages import calculator, changes, faults, files, gaps, paths, questions, roles, walkthroughs

KINDS: tuple[Kind, ...] = (roles, files, paths, walkthroughs, questions, faults, changes, calculator, gaps)
