"""Is what is acquired released on every way out? pairs_closed, which takes a pair of `rules/pairs/` at its word.

Takes a pair's id (or the start of several); the exits of the functions that hold it are the evidence. `missing` is how
many exits may miss a release (none by default), so that a claim can also say that some do.
"""

from __future__ import annotations

from tracer.claims.model import Evidence, Judged, Predicate
from tracer.claims.presence import SHOWN, enough
from tracer.claims.select import Places
from tracer.errors import UsageError
from tracer.globs import path_matches
from tracer.pairs.balance import Holder, judge
from tracer.pairs.rules import pair_rules


def pairs_closed(places: Places, p: Predicate) -> Judged:
    """Every exit of every holder of the pair releases or hands over; or as many miss it as `missing` says."""
    name, files = str(p.options["pair"]), p.options.get("in") or ()
    want = str(p.options.get("missing", "==0"))
    target = places.world.parts[0].target.name
    try:
        rules = pair_rules(name, target, places.version, places.extra)
    except UsageError as error:
        return Judged("unknown", why=str(error))
    if not rules:
        return Judged("not_applicable", why=f"{name} is not of this version")
    holders, gaps = judge(places.world, rules)
    globs = (files,) if isinstance(files, str) else tuple(files)
    held = [h for h in holders if not globs or path_matches(h.file, globs)]
    if not held:
        return Judged("unknown", why=gaps[0].why if gaps else f"nothing holds {name} here")
    missing = [e for h in held for e in _exits(places, h, "missing")]
    if not enough(len(missing), want):
        why = f"{len(missing)} exits miss the release, expected {want}"
        return Judged("fails", tuple(missing[:SHOWN]), (), why)
    kept = [e for h in held for e in _exits(places, h, "released", "handed_over")]
    return Judged("holds", tuple((missing + kept)[:SHOWN]))


def _exits(places: Places, h: Holder, *verdicts: str) -> list[Evidence]:
    """The exits of a holder with these verdicts, each with the line that releases or hands over."""
    out = []
    for leaving in h.exits:
        if leaving.verdict in verdicts:
            out.append(places.lines(f"exit: {leaving.verdict}", h.file, leaving.line, leaving.line, h.symbol))
            if leaving.by is not None:
                file, line = leaving.by
                out.append(places.lines(leaving.verdict, file, line, line, places.place(file, line).symbol))
            elif leaving.verdict == "missing":
                out.append(places.lines("acquired", h.file, leaving.since, leaving.since, h.symbol))
    return out
