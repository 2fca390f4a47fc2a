"""Diff pages: two versions of an engine, change by change, with the code of either side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tracer.diff.model import SEVERITIES
from tracer.render.atlas import code, places
from tracer.render.atlas.gather import Atlas, Subject
from tracer.render.atlas.page import Entry, Nav, Page
from tracer.render.atlas.strings import said
from tracer.render.grouping import local_symbol


def pages(atlas: Atlas) -> Iterator[Page]:
    """The list, and one page for each pair of versions."""
    if not atlas.older:
        return
    rows = [
        {
            "path": places.change(before, after),
            "before": before.name,
            "after": after.name,
            "counts": [(s, document["counts"].get(s, 0)) for s in SEVERITIES],
        }
        for before, after, document in atlas.differences
    ]
    yield Page(places.CHANGES, "changes.html.j2", said("nav.changes"), {"rows": rows})
    for before, after, document in atlas.differences:
        yield _page(before, after, document)


def nav(atlas: Atlas) -> Iterable[Nav]:
    """The list of comparisons, where there are any."""
    return (Nav("nav.changes", places.CHANGES),) if atlas.older else ()


def entries(atlas: Atlas) -> Iterator[Entry]:
    """Every comparison."""
    for before, after in atlas.older:
        yield Entry("diff", said("changes.title", before=before.name, after=after.name), places.change(before, after))


def _page(before: Subject, after: Subject, document: Mapping[str, Any]) -> Page:
    title = said("changes.title", before=before.name, after=after.name)
    groups = []
    for severity in SEVERITIES:
        found = [_change(before, after, c) for c in document["changes"] if c["severity"] == severity]
        if found:
            groups.append({"severity": severity, "changes": found})
    context = {
        "before": before.name,
        "after": after.name,
        "groups": groups,
        "counts": [(s, document["counts"].get(s, 0)) for s in SEVERITIES],
        "kinds": sorted({c["kind"] for c in document["changes"]}),
        "roles": sorted({c.get("role") or c["what"] for c in document["changes"]}),
        "compared": document["compared"],
        "ignored": [(why, n) for why, n in document["ignored"].items() if n],
        "gaps": document["gaps"],
    }
    trail = [(said("nav.changes"), places.CHANGES)]
    return Page(places.change(before, after), "change.html.j2", title, context, trail=trail,
                scripts=["filter.js"], wide=True)


def _change(before: Subject, after: Subject, c: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "what": c["what"],
        "id": c["id"],
        "kind": c["kind"],
        "detail": c.get("detail", ""),
        "role": c.get("role", ""),
        "action": c.get("action", ""),
        "layer": c.get("layer", ""),
        "before": _end(before, c["before"], c["severity"]),
        "after": _end(after, c["after"], c["severity"]),
    }


def _end(subject: Subject, end: Mapping[str, Any] | None, severity: str) -> dict[str, Any] | None:
    if end is None:
        return None
    blocks: list[dict[str, Any]] = []
    if end["file"] and end["first"] and severity != "place":  # what was only moved reads as before
        lines = subject.source(end["file"])
        blocks = code.blocks(lines, [(end["first"], end["last"])]) if lines else []
        code.mark(blocks, dict.fromkeys(range(end["first"], end["last"] + 1), ("changed",)))
    return {
        "file": end["file"],
        "symbol": local_symbol(end["symbol"], end["file"]),
        "first": end["first"],
        "last": end["last"],
        "link": end.get("permalink") or (subject.permalink(end["file"], end["first"], end["last"]) if blocks else ""),
        "text": list(end.get("text", ())),
        "blocks": blocks,
    }
