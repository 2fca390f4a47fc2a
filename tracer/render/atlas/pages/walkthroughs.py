"""Walkthroughs: each named path as a guided tour, one step a screen, with a quiz and a speaker's view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tracer.render import walks
from tracer.render.atlas import places
from tracer.render.atlas.gather import Atlas
from tracer.render.atlas.page import Entry, Nav, Page
from tracer.render.atlas.pages.paths import parts, path_page, row, shown, walk_page
from tracer.render.atlas.strings import said
from tracer.render.atlas.tours import tours_of


def pages(atlas: Atlas) -> Iterator[Page]:
    """One page a tour; the list is that of the paths."""
    for t in tours_of(atlas):
        document = walks.document(t)
        beats = {b["id"]: b for b in document["story"]}
        stops: list[dict[str, Any]] = []
        told = 0
        for stop in document["stops"]:
            beginning = [beats[b] for b in stop["beats"]]
            stops.append(shown(atlas, t, stop) | {"told": told, "beginning": beginning})
            told += stop["seconds"]
        context = {**parts(t), "stops": stops, "story": document["story"]}
        title = {lang: f"{said('walk.walkthrough')[lang]} · {text}" for lang, text in row(t)["title"].items()}
        yield Page(
            walk_page(t), "walk.html.j2", title, context, scripts=("walk.js",), styles=("walk.css",),
            trail=[(said("nav.paths"), places.PATHS), (row(t)["title"], path_page(t))], wide=True,
        )


def nav(_: Atlas) -> Iterable[Nav]:
    """None of its own: walkthroughs stand in the list of paths."""
    return ()


def entries(atlas: Atlas) -> Iterator[Entry]:
    """Every walkthrough."""
    for t in tours_of(atlas):
        yield Entry("walk", row(t)["title"], walk_page(t), " · ".join(row(t)["engines"]))
