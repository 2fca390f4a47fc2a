"""Is something there, nowhere, or only in some places? exists · absent · only_in · writers_are · same_field.

Each function takes the places of a world and one predicate, and judges it. A name that does not exist in this version
makes "unknown", never "no".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracer.claims.model import Evidence, Judged, Predicate, Selector
from tracer.claims.select import Place, Places
from tracer.globs import path_matches
from tracer.survey.store import last_part

SHOWN = 40  # pieces of evidence of one part; more prove nothing more


def exists(places: Places, p: Predicate) -> Judged:
    """There is (at least, exactly, at most `count`) such a place."""
    what = p.parts["what"]
    found = places.of(what)
    want = str(p.options.get("count", ">=1"))
    if enough(len(found), want):
        searches = () if found else places.searches(what)
        return Judged("holds", places.evidence("what", found[:SHOWN]), searches)
    lacking = places.lacking(what) if not found else ""
    why = lacking or f"found {len(found)}, expected {want}"
    return Judged("unknown" if lacking else "fails", places.evidence("what", found[:SHOWN]), places.searches(what), why)


def absent(places: Places, p: Predicate) -> Judged:
    """There is no such place in the files that were searched; `near` is shown as the place where one would look."""
    what = p.parts["what"]
    found = places.of(what)
    searches = places.searches(what)
    if found:
        why = f"found in {len(found)} place{'s' * (len(found) > 1)}"
        return Judged("fails", places.evidence("found", found[:SHOWN]), searches, why)
    why = places.lacking(what) or _unread(places, what)
    near = places.of(p.parts["near"]) if "near" in p.parts else ()
    if "near" in p.parts and not near:
        why = why or places.lacking(p.parts["near"]) or "the place to look at (`near`) is not found"
    return Judged("unknown" if why else "holds", places.evidence("near", near[:SHOWN]), searches, why)


def only_in(places: Places, p: Predicate) -> Judged:
    """Every such place lies in one of the files, classes or interface methods, or its function also does `with`."""
    what = p.parts["what"]
    found = places.of(what)
    if not found:
        return _nothing(places, what)
    outside = [place for place in found if not _inside(places, p, place)]
    if outside:
        why = f"{len(outside)} of {len(found)} lie elsewhere"
        return Judged("fails", places.evidence("outside", outside[:SHOWN]), (), why)
    return Judged("holds", places.evidence("what", found[:SHOWN]), places.searches(what))


def same_field(places: Places, p: Predicate) -> Judged:
    """One state is used in each of the ways that `does` lists."""
    evidence: list[Evidence] = []
    for part, selector in p.parts.items():
        found = places.of(selector)
        if not found:
            judged = _nothing(places, selector)
            return Judged("unknown" if places.lacking(selector) else "fails", (), judged.searches, judged.why)
        evidence += places.evidence(part, found[:SHOWN])
    return Judged("holds", tuple(evidence))


def _inside(places: Places, p: Predicate, place: Place) -> bool:
    files, within = _many(p.options.get("in")), _many(p.options.get("within"))
    if files and path_matches(place.path, files):
        return True
    if place.match is not None and any(places.roles.cues.inside(place.match, w) for w in within):
        return True
    if "with" not in p.parts:
        return False
    here = places.functions([place])
    return bool(here) and next(iter(here)) in places.functions(places.of(p.parts["with"]))


def _nothing(places: Places, what: Selector) -> Judged:
    return Judged("unknown", (), places.searches(what), places.lacking(what) or "nothing of the kind is found")


def _unread(places: Places, what: Selector) -> str:
    """A file that could not be read at all, but whose text has a name that was looked for."""
    for pick in what.picks:
        cue = pick.cue
        if cue is None:
            continue
        names = {last_part(n.replace("::", ".")) for n in (*cue.patterns, *cue.state) if cue.matcher != "mark"}
        for path in places.area(cue.files, cue.not_files):
            if path in places.closed and any(n in line for line in places.text(path) for n in names):
                return f"{path} cannot be read, and its text names {' or '.join(sorted(names))}"
    return ""


def enough(count: int, want: str) -> bool:
    """Whether a count is as `want` says: `>=n` (also plain `n`), `==n`, `<=n`."""
    found = re.fullmatch(r"(>=|==|<=)?\s*(\d+)", want.strip())
    if not found:
        return False
    n = int(found[2])
    return {"==": count == n, "<=": count <= n}.get(found[1] or ">=", count >= n)


def _many(value: Sequence[str] | str | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())
