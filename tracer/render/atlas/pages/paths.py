"""Paths: each named path as a drawing with the code of its steps beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tracer.model import digest_of
from tracer.render import walks
from tracer.render.atlas import code, places
from tracer.render.atlas.gather import Atlas, Subject, slug
from tracer.render.atlas.lanes import drawing
from tracer.render.atlas.page import Entry, Nav, Page
from tracer.render.atlas.strings import said
from tracer.render.atlas.tours import tours_of
from tracer.render.grouping import version_text
from tracer.render.steps import CROSSING
from tracer.walks.model import Tour

LEAD_IN = 60  # lines before a piece that are read for its colours


def pages(atlas: Atlas) -> Iterator[Page]:
    """The list, and one page a path."""
    tours = tours_of(atlas)
    if not tours:
        return
    yield Page(places.PATHS, "paths.html.j2", said("nav.paths"), {"rows": [row(t) for t in tours]})
    for t in tours:
        document = walks.document(t)
        context = {
            **parts(t),
            "stops": [shown(atlas, t, s) for s in document["stops"]],
            "drawing": drawing(document["stops"]),
        }
        yield Page(
            path_page(t), "path.html.j2", row(t)["title"], context, scripts=("path.js",), styles=("walk.css",),
            trail=[(said("nav.paths"), places.PATHS)], wide=True,
        )


def nav(atlas: Atlas) -> Iterable[Nav]:
    """The list of paths, if there is one."""
    return (Nav("nav.paths", places.PATHS),) if tours_of(atlas) else ()


def entries(atlas: Atlas) -> Iterator[Entry]:
    """Every path."""
    for t in tours_of(atlas):
        yield Entry("path", row(t)["title"], path_page(t), " · ".join(row(t)["engines"]), 1)


def path_page(t: Tour) -> str:
    """Where a path's page lies."""
    return f"paths/{stem(t)}.html"


def walk_page(t: Tour) -> str:
    """Where its walkthrough lies."""
    return f"walks/{stem(t)}.html"


def parts(t: Tour) -> dict[str, Any]:
    """A row for a page of its own; `engines` are those of the whole site there."""
    found = row(t)
    return {**{k: v for k, v in found.items() if k != "engines"}, "engines_of": found["engines"]}


def stem(t: Tour) -> str:
    """A path's name in the site: its id, and the versions that it was found in."""
    versions = "-".join(version_text(e.version) for e in t.engines)
    return f"{slug(t.path.name, 50)}-{slug(versions, 30)}-{digest_of(t.path.name + versions)[:6]}"


def row(t: Tour) -> dict[str, Any]:
    """What a list says of a path."""
    steps = t.path.steps
    return {
        "id": t.path.name,
        "name": t.name,
        "title": {"en": t.title.en, "zh": t.title.zh or t.title.en},
        "engines": [f"{e.name} {version_text(e.version)}" for e in t.engines],
        "steps": len(steps),
        "crossings": sum(1 for s in steps if s.edge in CROSSING),
        "end": t.path.end,
        "path": path_page(t),
        "walk": walk_page(t),
        "questions": list(t.questions),
    }


def shown(atlas: Atlas, t: Tour, stop: Mapping[str, Any]) -> dict[str, Any]:
    """A step with its code in colour and the addresses of its sites and questions."""
    subject = _subject(atlas, t, stop["engine"])
    lines = subject.source(stop["file"]) if subject else []
    shift = _indent([line for piece in stop["code"]["pieces"] for line in piece["lines"]])
    return {
        **stop,
        "shift": shift,
        "blocks": [_block(piece, stop, lines, shift) for piece in stop["code"]["pieces"]],
        "kinds": {str(m["line"]): m["why"].split() for m in stop["code"]["marks"]},
        "places": [
            {**s, "path": places.shown_at(subject, stop["file"], s["first"], s["last"]) if subject else ""}
            for s in stop["sites"]
        ],
        "asked": [{"id": q, "title": {"en": t.questions[q].en, "zh": t.questions[q].zh}, "path": places.question(q)}
                  for q in stop["questions"] if q in t.questions],
    }


def _indent(lines: Sequence[str]) -> int:
    """The blanks that all lines begin with: on a narrow page they would only make lines longer."""
    return min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)


def _block(piece: Mapping[str, Any], stop: Mapping[str, Any], lines: Sequence[str], shift: int) -> dict[str, Any]:
    """A piece of code: its lines, the lines before it (for the colours), the roles that are played on each line."""
    start = piece["start"]
    roles = [
        sorted({s["role"] for s in stop["sites"] if s["first"] <= n <= s["last"]})
        for n in range(start, start + len(piece["lines"]))
    ]
    before = [code.shown_line(x) for x in lines[max(0, start - 1 - LEAD_IN) : start - 1]]
    return {"start": start, "lines": [x[shift:] for x in piece["lines"]], "lead_in": before, "marks": roles}


def _subject(atlas: Atlas, t: Tour, engine: str) -> Subject | None:
    versions = {e.name: e.version for e in t.engines}
    found = (s for s in atlas.subjects if s.target.name == engine and s.tree.version == versions.get(engine))
    return next(found, None)
