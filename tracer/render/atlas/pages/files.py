"""Site pages: one a source file, with every site in it on its code: what decides, under which conditions, who calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from tracer.model import Site
from tracer.pairs.balance import Holder
from tracer.render.atlas import code, places
from tracer.render.atlas.gather import Atlas, Caller, Subject
from tracer.render.atlas.page import Entry, Nav, Page, same
from tracer.render.atlas.pages.roles import why
from tracer.render.grouping import local_symbol, settings
from tracer.survey.store import last_part

MOST_CALLERS = 60  # of one function that are listed; the page says how many more there are
MOST_HOLDERS = 20  # the same of those who hold what it acquires
_DATA = ("state", "device")  # edges along which something is handed over, not called


def pages(atlas: Atlas) -> Iterator[Page]:
    """One page for each file that has a site."""
    for subject in atlas.subjects:
        callers = atlas.callers(subject)
        holders: dict[str, list[Holder]] = {}
        for h in atlas.holders(subject):
            for symbol in dict.fromkeys((h.symbol, *h.via)):  # also where what it acquires is acquired for its callers
                holders.setdefault(symbol, []).append(h)
        for file, sites in _by_file(subject):
            functions = [
                _function(atlas, subject, file, list(group), callers, holders)
                for _, group in groupby(sites, key=lambda s: (s.def_line, s.symbol))
            ]
            context = {
                "file": file,
                "engine": subject.name,
                "functions": functions,
                "link": subject.permalink(file, 1, 1).partition("#")[0],
                "stale": sum(1 for s in sites if atlas.verdicts[subject.slug, s].status != "ok"),
            }
            yield Page(
                places.file(subject, file),
                "file.html.j2",
                same(file.rpartition("/")[2]),
                context,
                trail=[(same(subject.name), f"{places.HOME}#{subject.slug}")],
                wide=True,
            )


def nav(_: Atlas) -> Iterable[Nav]:
    """Files are reached from roles."""
    return ()


def entries(atlas: Atlas) -> Iterator[Entry]:
    """Every file and every symbol with a site."""
    for subject in atlas.subjects:
        for file, sites in _by_file(subject):
            yield Entry("file", same(file), places.file(subject, file), subject.name, 0)
            for symbol, group in groupby(sites, key=lambda s: s.symbol):
                found = list(group)
                shown = local_symbol(symbol, file)
                where = f"{subject.name} · {file}:{found[0].def_line}"
                yield Entry("symbol", same(shown), f"{places.file(subject, file)}#{_id(found[0])}", where, 1)


def _by_file(subject: Subject) -> list[tuple[str, list[Site]]]:
    ordered = sorted(subject.sites, key=lambda s: (s.file, s.def_line, s.symbol, s.first, s.role, s.action))
    return [(file, list(group)) for file, group in groupby(ordered, key=lambda s: s.file)]


def _id(site: Site) -> str:
    return f"at-{site.def_line}"


def _function(
    atlas: Atlas,
    subject: Subject,
    file: str,
    sites: list[Site],
    callers: dict[str, list[Caller]],
    holders: dict[str, list[Holder]],
) -> dict[str, Any]:
    lines = subject.source(file)
    symbol, head = sites[0].symbol, sites[0].def_line
    found = code.blocks(lines, [(s.first, s.last) for s in sites], head)
    marks: dict[int, list[str]] = {}
    for s in sites:
        for number in range(s.first, s.last + 1):
            if s.role not in marks.setdefault(number, []):
                marks[number].append(s.role)
    code.mark(found, marks, lines, head)
    reaching = sorted(callers.get(symbol, []), key=lambda c: c.kind in _DATA)
    holding = sorted(holders.get(symbol, ()), key=lambda h: h.symbol != symbol)
    return {
        "symbol": local_symbol(symbol, file),
        "full": symbol,
        "id": _id(sites[0]),
        "line": head,
        "link": subject.permalink(file, head, head),
        "blocks": found,
        "sites": [_site(atlas, subject, s) for s in sites],
        "called": any(s.action != "define" for s in sites),
        "callers": [_caller(subject, c) for c in reaching[:MOST_CALLERS]],
        "more_callers": max(0, len(reaching) - MOST_CALLERS),
        "pairs": [_holder(subject, h, symbol) for h in holding[:MOST_HOLDERS]],
        "more_pairs": max(0, len(holding) - MOST_HOLDERS),
    }


def _site(atlas: Atlas, subject: Subject, s: Site) -> dict[str, Any]:
    verdict = atlas.verdicts[subject.slug, s]
    return {
        "id": places.anchor(s),
        "role": s.role,
        "action": s.action,
        "layer": s.layer,
        "first": s.first,
        "last": s.last,
        "why": why(subject.rules.get(s.rule), s.why),
        "guards": list(s.guards),
        "settings": list(settings(s.guards)),
        "rule": s.rule,
        "basis": s.basis,
        "stack": s.stack,
        "via": [last_part(v) for v in s.via],
        "link": s.permalink,
        "role_page": places.engine_role(subject, s.role),
        "status": verdict.status,
        "status_why": verdict.why,
        "seen": atlas.seen(subject, s),
    }


def _caller(subject: Subject, c: Caller) -> dict[str, Any]:
    return {
        "symbol": local_symbol(c.symbol, c.file),
        "file": c.file,
        "line": c.line,
        "kind": c.kind,
        "basis": c.basis,
        "path": places.shown_at(subject, c.file, c.line, c.line),
        "link": subject.permalink(c.file, c.line, c.line),
    }


def _holder(subject: Subject, h: Holder, symbol: str) -> dict[str, Any]:
    other = h.symbol != symbol
    return {
        "rule": h.rule,
        "file": h.file,
        "who": local_symbol(h.symbol, h.file) if other else "",
        "where": f"{h.file}:{h.def_line}" if other else "",
        "path": places.shown_at(subject, h.file, h.def_line, h.def_line) if other else "",
        "does": h.does,
        "exits": [
            {
                "line": e.line,
                "kind": e.kind,
                "verdict": e.verdict,
                "since": e.since,
                "owner": e.owner,
                "by": [e.by[0], e.by[1]] if e.by else None,
                "link": subject.permalink(h.file, e.line, e.line),
            }
            for e in h.exits
        ],
    }
