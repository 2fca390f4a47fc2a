"""The first page: what was read, the matrix of roles and engines, and the search over everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tracer.model import ROLES
from tracer.render.atlas import places
from tracer.render.atlas.gather import Atlas, Subject
from tracer.render.atlas.page import Entry, Kind, Page
from tracer.render.atlas.pages import gaps
from tracer.render.atlas.pages.roles import gaps_of
from tracer.render.atlas.strings import said
from tracer.render.grouping import about_a_file, revision_text
from tracer.visible import visible


def pages(atlas: Atlas, kinds: Sequence[Kind]) -> Iterator[Page]:
    """One page, with the index of all `kinds` that its search reads."""
    found = [e for kind in kinds for e in kind.entries(atlas)]
    context = {
        "subjects": [_subject(atlas, s) for s in atlas.subjects],
        "rows": [
            {"role": role, "path": places.role(role), "cells": [_cell(atlas, s, role) for s in atlas.subjects]}
            for role in ROLES
        ],
        "cards": [(n.key, n.path) for kind in kinds for n in kind.nav(atlas)],
        "recorded": bool(atlas.observed),
        "sites": sum(len(s.sites) for s in atlas.subjects),
    }
    yield Page(places.HOME, "home.html.j2", said("home.title"), context, data={"search-index": _index(found)},
               scripts=["search.js"])


def _index(found: list[Entry]) -> dict[str, Any]:
    """The entries as rows of short lists; kinds once, a text only once where both languages write it alike."""
    names = sorted({e.kind for e in found})
    rows = [
        [names.index(e.kind), visible(e.text["en"]), "" if e.text["en"] == e.text["zh"] else visible(e.text["zh"]),
         e.path, visible(e.more), e.weight]
        for e in found
    ]
    return {"kinds": [{"id": n, **said(f"search.{n}")} for n in names], "rows": rows}


def _subject(atlas: Atlas, subject: Subject) -> dict[str, Any]:
    return {
        "name": subject.target.title or subject.target.name,
        "version": subject.name.partition(" ")[2],
        "slug": subject.slug,
        "revision": revision_text(subject.engine),
        "files": len({s.file for s in subject.sites}),
        "sites": len(subject.sites),
        "verified": gaps.tally(atlas, subject),
        "gaps": sum(1 for g in subject.trace.gaps if not about_a_file(g)),
    }


def _cell(atlas: Atlas, subject: Subject, role: str) -> dict[str, Any]:
    sites = [s for s in subject.sites if s.role == role]
    layers = dict.fromkeys(s.layer for s in sorted(sites, key=lambda s: s.layer))
    seen = [atlas.seen(subject, s) for s in sites]
    return {
        "engine": subject.name,
        "count": len(sites),
        "path": places.engine_role(subject, role),
        "layers": list(layers),
        "gaps": len(gaps_of(subject, role)),
        "confirmed": sum(1 for mark in seen if mark == "confirmed"),
    }
