"""The failure matrix: per fault and engine what detects it, what becomes of the memory, what the request does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracer.questions import bank
from tracer.render.atlas import places
from tracer.render.atlas.gather import Atlas
from tracer.render.atlas.page import Entry, Nav, Page
from tracer.render.atlas.pages.questions import shown
from tracer.render.atlas.strings import said


def pages(atlas: Atlas) -> Iterator[Page]:
    """One page."""
    rows = [
        {"id": row["fault"], "title": row["title"], "cells": [shown(atlas, c) for c in row["cells"]]}
        for row in atlas.faults["faults"]
    ]
    context = {"rows": rows, "names": [s.name for s in atlas.subjects]}
    yield Page(places.FAULTS, "faults.html.j2", said("nav.faults"), context, wide=True)


def nav(_: Atlas) -> Iterable[Nav]:
    """The matrix."""
    return (Nav("nav.faults", places.FAULTS),)


def entries(_: Atlas) -> Iterator[Entry]:
    """Every fault."""
    for name, text in bank().faults.items():
        yield Entry("fault", {"en": text.en, "zh": text.zh}, f"{places.FAULTS}#{name}", weight=1)
