"""What comes before what in one function? order · dominates · followed_by · never_follows · guarded_by.

Takes the places of two selectors, groups them by the function that holds both, and asks `reading.flow`. Loops count by
one round: of two places in one loop, that one is first which stands first in its body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from tracer.claims.model import Evidence, Judged, Predicate, Verdict
from tracer.claims.presence import SHOWN
from tracer.claims.select import Place, Places
from tracer.reading import Reading, flow


class _Function(NamedTuple):
    """One function's verdict: with the places of both parts, and the lines of a path that shows a failure."""

    verdict: Verdict
    first: Sequence[Place]
    then: Sequence[Place]
    path: tuple[int, ...] = ()


Ask = Callable[[Reading, Sequence[int], Sequence[int], Predicate], flow.Verdict | None]


def order(places: Places, p: Predicate) -> Judged:
    """In every function that does both, `first` comes before `then`, wherever both happen."""
    return _each(places, p, _ordered, both=True)


def dominates(places: Places, p: Predicate) -> Judged:
    """Whatever reaches `then` has passed `first`, in every function that does `then`."""
    return _each(places, p, _dominated, both=False)


def never_follows(places: Places, p: Predicate) -> Judged:
    """In no function that does both does a path lead from `first` to `then`."""
    return _each(places, p, _apart, both=True)


def followed_by(places: Places, p: Predicate) -> Judged:
    """Behind `first` every exit of its function has passed `then`."""
    return _each(places, p, _closed, both=False, of="first")


def guarded_by(places: Places, p: Predicate) -> Judged:
    """Each such place (`some`: at least one) stands under a condition of this text, or behind a test of `by`."""
    what = places.of(p.parts["what"])
    if not what:
        why = places.lacking(p.parts["what"]) or "nothing of the kind is found"
        return Judged("unknown", (), places.searches(p.parts["what"]), why)
    tests = places.functions(places.of(p.parts["by"])) if "by" in p.parts else {}
    guarded: list[Place] = []
    bare: list[Place] = []
    evidence: list[Evidence] = []
    for place in what:
        heads = _guards(places, p, place, tests)
        (guarded if heads is not None else bare).append(place)
        evidence += heads or ()
    if guarded and (p.options.get("some") or not bare):
        return Judged("holds", (*places.evidence("what", guarded[:SHOWN]), *dict.fromkeys(evidence[:SHOWN])))
    if "by" in p.parts and not tests and (why := places.lacking(p.parts["by"])):
        return Judged("unknown", (), places.searches(p.parts["by"]), why)
    why = f"{len(bare)} of {len(what)} stand without that guard"
    return Judged("fails", places.evidence("unguarded", bare[:SHOWN]), (), why)


# -- one function -----------------------------------------------------------------------
def _ordered(reading: Reading, first: Sequence[int], then: Sequence[int], p: Predicate) -> flow.Verdict | None:
    apart = [(a, b) for a, b in product(first, then) if reading.statement_at(a) is not reading.statement_at(b)]
    if not apart:
        return flow.Verdict("unknown")
    passed = flow.always_before(reading, first, then, exceptions=_raises(p), lambdas=True)
    if passed.holds:
        return passed
    seen = False
    for a, b in apart:
        ahead, back = _leads(reading, a, b), _leads(reading, b, a)
        if back:
            return flow.Verdict("unknown" if ahead else "fails", (b, a))
        seen = seen or ahead
    return flow.Verdict("holds") if seen else None


def _dominated(reading: Reading, first: Sequence[int], then: Sequence[int], p: Predicate) -> flow.Verdict | None:
    if not first:
        return flow.Verdict("fails", tuple(then[:1]))
    return flow.always_before(reading, first, then, exceptions=_raises(p), lambdas=True)


def _apart(reading: Reading, first: Sequence[int], then: Sequence[int], _: Predicate) -> flow.Verdict | None:
    for a, b in product(first, then):
        if reading.statement_at(a) is reading.statement_at(b):
            return flow.Verdict("unknown")
        if flow.may_follow(reading, a, b):
            return flow.Verdict("fails", (a, b))
    return flow.Verdict("holds")


def _closed(reading: Reading, first: Sequence[int], then: Sequence[int], p: Predicate) -> flow.Verdict | None:
    if not then:
        return flow.Verdict("fails", tuple(first[:1]))
    for a in first:
        for leaving in flow.reachable_exits(reading, a, exceptions=_raises(p)):
            way = flow.escape(
                reading, a, leaving, then, exceptions=_raises(p), lambdas=True, present=bool(p.options.get("present"))
            )
            if way is not None:
                return flow.Verdict("fails", way)
    return flow.Verdict("holds")


def _raises(p: Predicate) -> bool:
    return bool(p.options.get("exceptions"))


def _leads(reading: Reading, a: int, b: int) -> bool:
    """Whether `b` can come after `a`; within one round where a loop holds both."""
    way = reading.holders(a)
    for depth, ((block, at), (other, index)) in enumerate(zip(way, reading.holders(b), strict=False)):
        if block is other and at == index:
            continue
        looped = any(outer.statements[i].kind in ("for", "while", "do") for outer, i in way[:depth])
        if looped and (block is not other or at > index):
            return False  # other branches of one statement, or earlier in the round
        break
    return flow.may_follow(reading, a, b)


# -- all functions ------------------------------------------------------------------------
def _each(places: Places, p: Predicate, ask: Ask, *, both: bool, of: str = "then") -> Judged:
    first, then = places.of(p.parts["first"]), places.of(p.parts["then"])
    for part, found in (("first", first), ("then", then)):
        if not found and (both or part == of):
            why = places.lacking(p.parts[part]) or f"nothing of the kind of `{part}` is found"
            return Judged("unknown", (), places.searches(p.parts[part]), why)
    judged = list(_functions(places, p, first, then, ask, both=both, of=of))
    if not judged:
        evidence = (*places.evidence("first", first[:SHOWN]), *places.evidence("then", then[:SHOWN]))
        return Judged("unknown", evidence, (), "no function does both")
    for verdict in ("fails", "unknown"):
        for f in judged:
            if f.verdict == verdict:
                return _shown(places, f)
    evidence = tuple(e for f in judged for e in _shown(places, f).evidence)
    return Judged("holds", evidence[: 2 * SHOWN])


def _functions(
    places: Places, p: Predicate, first: Iterable[Place], then: Iterable[Place], ask: Ask, *, both: bool, of: str
) -> Iterator[_Function]:
    firsts, thens = places.functions(first), places.functions(then)
    asked = firsts.keys() & thens.keys() if both else thens.keys() if of == "then" else firsts.keys()
    for file, scope in sorted(asked):
        a, b = firsts.get((file, scope), []), thens.get((file, scope), [])
        reading = places.roles.cues.readings.of(file, scope)
        if reading is None:
            yield _Function("unknown", a, b)
            continue
        found = ask(reading, [x.line for x in a], [x.line for x in b], p)
        if found is not None:
            yield _Function(found.verdict, a, b, found.path)


def _shown(places: Places, f: _Function) -> Judged:
    evidence = (*places.evidence("first", f.first), *places.evidence("then", f.then))
    where = (f.then or f.first)[0]
    if f.verdict == "holds":
        return Judged("holds", evidence)
    if f.verdict == "unknown":
        return Judged("unknown", evidence, (), f"cannot be told in {where.symbol}")
    path = ", ".join(map(str, f.path[:12]))
    return Judged("fails", evidence, (), f"not so in {where.symbol}: lines {path}")


# -- guards -------------------------------------------------------------------------------
def _guards(
    places: Places, p: Predicate, place: Place, tests: dict[tuple[int, int], list[Place]]
) -> tuple[Evidence, ...] | None:
    """The lines that guard a place as the predicate asks; None where they do not."""
    if place.match is None:
        return None
    readings = places.roles.cues.readings
    wanted, unwanted = str(p.options.get("guard", "")), str(p.options.get("not_guard", ""))
    around = readings.guards(place.match)
    if wanted and not any(re.search(wanted, g) for g in around):
        return None
    if unwanted and any(re.search(unwanted, g) for g in around):
        return None
    out: list[Evidence] = []
    if wanted:
        head = readings.guard_span(place.match, wanted)
        if head != readings.span(place.match):
            out.append(places.lines("guard", place.path, *head, place.symbol))
    if "by" in p.parts:
        key = (place.file, readings.outer(place.file, place.scope))
        reading = readings.of(*key)
        before = [t for t in tests.get(key, ()) if t.line <= place.line]
        behind = [
            t
            for t in before
            if reading is not None
            and (t.line == place.line or flow.always_before(reading, [t.line], [place.line], lambdas=True).holds)
        ]
        if not behind:
            return None
        out += places.evidence("by", behind)
    return tuple(out)

