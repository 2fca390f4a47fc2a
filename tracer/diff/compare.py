"""Matched places → changes: where they moved to, what gates them, which statement plays the role.

What is the same code in another layout, under another local name or in another file is no change of behaviour; it is
counted, so that a reader sees how much was left out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from tracer.diff.families import pulled_up, pushed_down, related
from tracer.diff.heirs import Heir, heirs, steps
from tracer.diff.match import Loose, Matched, match, statements, travelled
from tracer.diff.model import Change, End, Kind, Severity
from tracer.diff.normal import reworded
from tracer.diff.places import Place, Side, Statement, end_of

LAYOUT = "laid out or commented differently"
LOCALS = "names of locals only"
ELSEWHERE = "changed elsewhere in the function"
SAME = "the same"
UP = "into a base class"
DOWN = "into a subclass"
FEWER = "the function plays it by fewer statements"
MORE = "the function plays it by more statements"
CALM = "the function no longer raises here"
RAISING = "the function raises here now"
_RAISES = re.compile(r"(?:raise|throw)\b")


class Comparison:
    """Compares the places of two sides; `ignored` counts what is no change of behaviour, by reason."""

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.ignored: Counter[str] = Counter()
        self.heirs: list[Heir] = []
        self._gone: list[Loose] = []
        self._come: list[Loose] = []
        self._signatures: set[tuple[str, str]] = set()
        self._matched: Matched = match(a, b)

    def changes(self) -> Iterator[Change]:
        """Every change of a place, in no order."""
        for x, y in self._matched.pairs:
            yield from self._pair(x, y)
        yield from self._family()
        yield from self._inherited()
        whole_gone = [Loose(p, s) for p in self._matched.before for s in p.statements]
        whole_come = [Loose(p, s) for p in self._matched.after for s in p.statements]
        stays = {id(x): y.deeds for x, y in self._matched.pairs}
        moves = travelled(self._gone + whole_gone, self._come + whole_come, self.a, self.b, stays)
        yield from _moves(moves)
        left = {id(x.statement) for x, _ in moves}
        arrived = {id(y.statement) for _, y in moves}
        yield from self._gone_along(moves, left, arrived)
        for place in self._matched.before:
            if rest := [s for s in place.statements if id(s) not in left]:
                yield self._removed(place, rest)
        for place in self._matched.after:
            if rest := [s for s in place.statements if id(s) not in arrived]:
                yield self._added(place, rest)
        yield from self._others(left, arrived)

    @property
    def pairs(self) -> list[tuple[Place, Place]]:
        """The places that are the same one in both versions."""
        return self._matched.pairs

    @property
    def partners(self) -> set[tuple[str, str]]:
        """Rules of the older side whose places have a partner, each with a rule of the partner."""
        ways = (*self._matched.pairs, *((h.before, h.after) for h in self.heirs))
        return {(r, q) for x, y in ways for r in x.rules for q in y.rules}

    def compared(self) -> dict[str, int]:
        """How many places either side has, and how many were paired."""
        return {"before": len(self.a.all), "after": len(self.b.all), "paired": len(self._matched.pairs)}

    def _family(self) -> Iterator[Change]:
        """Methods that went up into a base class or down into subclasses; they are left over no more."""
        up = pulled_up(self._matched.before, self.b.all, self.b)
        down = pushed_down(self.a.all, self._matched.after, self.b)
        for detail, ways in ((UP, up), (DOWN, down)):
            for x, y in ways:
                yield _change("moved", "behaviour", x, y, x.statements[0], y.statements[0], detail)
        self._settle((*up, *down))

    def _inherited(self) -> Iterator[Change]:
        """Functions that are gone, and new ones that do the same; they are left over no more."""
        self.heirs = heirs(self._matched.before, self._matched.after, self._matched.pairs, self.a, self.b)
        for x, y, detail in self.heirs:
            done = steps(x, y) or [(x.statements[0], y.statements[0])]
            for kind, more in self._kinds(x, y):
                yield _change(kind, "place", x, y, *done[0], detail or more)
            other = [(s, t) for s, t in done if s.text != t.text and not reworded(s.text, t.text)]
            if other:
                yield _texts("statement", x, y, other)
            if not detail:
                yield from _gated(x, y, done)
        self._settle([(x, y) for x, y, _ in self.heirs])

    def _gone_along(self, moves: Sequence[tuple[Loose, Loose]], left: set[int], arrived: set[int]) -> Iterator[Change]:
        """The rest of places that went to another function whole: what does it there; left over no more."""
        before, after = ({id(p) for p in places} for places in (self._matched.before, self._matched.after))
        ways: dict[tuple[int, int], list[tuple[Loose, Loose]]] = defaultdict(list)
        for x, y in moves:
            if id(x.place) in before and id(y.place) in after:
                ways[id(x.place), id(y.place)].append((x, y))
        for found in ways.values():
            old, new = found[0][0].place, found[0][1].place
            gone, come = ({id(way[side].statement) for way in found} for side in (0, 1))
            less = [s for s in old.statements if id(s) not in gone and id(s) not in left]
            more = [s for s in new.statements if id(s) not in come]
            if less and more:
                texts = (tuple(s.text for s in less), tuple(s.text for s in more))
                yield _change("path", "behaviour", old, new, less[0], more[0], "statements", *texts)
                left.update(map(id, less))
                arrived.update(map(id, more))

    def _settle(self, ways: Iterable[tuple[Place, Place]]) -> None:
        ways = list(ways)
        left, arrived = ({id(way[side]) for way in ways} for side in (0, 1))
        self._matched.before = [p for p in self._matched.before if id(p) not in left]
        self._matched.after = [p for p in self._matched.after if id(p) not in arrived]

    def _kinds(self, x: Place, y: Place) -> Iterator[tuple[Kind, str]]:
        """Whether the place has another name, another home, or both."""
        up, down = related(x, y, self.b)
        renamed = x.tail(1) != y.tail(1) and not self.b.defines(x)
        if not renamed and x.owner != y.owner and not (up or down):
            renamed = bool(x.owner) and not self.b.has_class(x.owner)
        if renamed:
            yield "renamed", ""
        if up or down:
            yield "moved", UP if up else DOWN
        elif x.file != y.file or (not renamed and x.symbol != y.symbol):
            yield "moved", ""

    # -- one pair ------------------------------------------------------------------------------
    def _pair(self, x: Place, y: Place) -> Iterator[Change]:
        for kind, detail in self._kinds(x, y):
            yield _change(kind, "place", x, y, x.statements[0], y.statements[0], detail)
        if x.key[1] == y.key[1] and x.body == y.body:
            self.ignored[SAME if x.raw and x.raw == y.raw else LAYOUT] += 1
            return
        found = list(self._behaviour(x, y))
        if not found and len(x.statements) == len(y.statements):
            self.ignored[LOCALS if reworded(x.body, y.body) else ELSEWHERE] += 1
        yield from found

    def _behaviour(self, x: Place, y: Place) -> Iterator[Change]:
        yield from self._signature(x, y)
        if x.key[1] != y.key[1]:
            first = (x.statements[0], y.statements[0])
            yield _change("path", "behaviour", x, y, *first, "action", (x.key[1],), (y.key[1],))
            return
        pairs, gone, come = statements(x.statements, y.statements)
        self._gone += [Loose(x, s) for s in gone]
        self._come += [Loose(y, s) for s in come]
        yield from _gated(x, y, pairs)
        yield from _raising(x, y)
        other = [(s, t) for s, t in pairs if s.text != t.text and not reworded(s.text, t.text)]
        if other:
            yield _texts("statement" if x.rules & y.rules else "rule", x, y, other)
        elif same := [(s, t) for s, t in pairs if s.text == t.text]:
            yield from _inputs(x, y, same[0])

    def _signature(self, x: Place, y: Place) -> Iterator[Change]:
        f, g = x.function, y.function
        if f is None or g is None or f.kind == "class" or (x.symbol, y.symbol) in self._signatures:
            return
        before, after = dict(f.params), dict(g.params)
        if f.params == g.params:
            return
        self._signatures.add((x.symbol, y.symbol))
        asked = [n for n in after if n not in before and not after[n]]
        public = not x.tail(1)[0].startswith("_")
        severity: Severity = "breaking" if public and (asked or before.keys() - after.keys()) else "behaviour"
        texts = (_spelt(before), _spelt(after))
        yield _change("path", severity, x, y, x.statements[0], y.statements[0], "signature", *texts)

    def _others(self, left: Collection[int], arrived: Collection[int]) -> Iterator[Change]:
        """Functions that play the role by fewer or more statements than before."""
        gone, come = _by_place(self._gone, left), _by_place(self._come, arrived)
        for x, y in self._matched.pairs:
            less, more = gone.get(id(x), []), come.get(id(y), [])
            if less and more:
                texts = (tuple(s.text for s in less), tuple(s.text for s in more))
                yield _change("path", "behaviour", x, y, less[0], more[0], "statements", *texts)
            elif less:
                yield _change("removed", "behaviour", x, None, less[0], None, FEWER, tuple(s.text for s in less))
            elif more:
                yield _change("added", "behaviour", None, y, None, more[0], MORE, (), tuple(s.text for s in more))

    # -- without a partner --------------------------------------------------------------------------
    def _removed(self, place: Place, rest: Sequence[Statement]) -> Change:
        stands = self.b.defines(place)
        public = not place.tail(1)[0].startswith("_")
        detail = "the function is still there" if stands else "the function is gone"
        severity: Severity = "breaking" if public and not stands else "behaviour"
        return _change("removed", severity, place, None, rest[0], None, detail, tuple(s.text for s in rest))

    def _added(self, place: Place, rest: Sequence[Statement]) -> Change:
        stood = self.a.defines(place)
        detail = "the function was there before" if stood else "a new function"
        return _change("added", "behaviour", None, place, None, rest[0], detail, (), tuple(s.text for s in rest))


def _gated(x: Place, y: Place, pairs: Iterable[tuple[Statement, Statement]]) -> Iterator[Change]:
    """The conditions that gate one side only, of all pairs together."""
    lost: dict[str, None] = {}
    gained: dict[str, None] = {}
    first: tuple[Statement, Statement] | None = None
    for s, t in pairs:
        less, more = _conditions(s.conditions, t.conditions)
        if less or more:
            first = first or (s, t)
            lost |= dict.fromkeys(less)
            gained |= dict.fromkeys(more)
    if first:
        yield _change("guard", "behaviour", x, y, *first, "conditions", tuple(lost), tuple(gained))


def _raising(x: Place, y: Place) -> Iterator[Change]:
    """Whether the function raised where it plays the role, and no longer does; or the other way round."""
    before, after = ([s for s in p.statements if _RAISES.match(s.text)] for p in (x, y))
    if before and not after:
        yield _change("removed", "behaviour", x, y, before[0], y.statements[0], CALM, tuple(s.text for s in before))
    elif after and not before:
        yield _change("added", "behaviour", x, y, x.statements[0], after[0], RAISING, (), tuple(s.text for s in after))


def _texts(detail: str, x: Place, y: Place, pairs: Sequence[tuple[Statement, Statement]]) -> Change:
    before, after = (tuple(s.text for s, _ in pairs), tuple(t.text for _, t in pairs))
    return _change("path", "behaviour", x, y, *pairs[0], detail, before, after)


def _inputs(x: Place, y: Place, shown: tuple[Statement, Statement]) -> Iterator[Change]:
    """The statement reads as before, but a local that it uses is made from something else."""
    old, new = x.inputs, y.inputs
    names = sorted(n for n in old.keys() & new.keys() if not old[n] & new[n])
    if names:
        texts = (tuple(f"{n} = {' | '.join(sorted(side[n]))}" for n in names) for side in (old, new))
        yield _change("path", "behaviour", x, y, *shown, "inputs", *texts)


def _moves(moves: Iterable[tuple[Loose, Loose]]) -> Iterator[Change]:
    """One change for each pair of functions between which statements travelled."""
    by_way: dict[tuple[int, int], list[tuple[Loose, Loose]]] = defaultdict(list)
    for x, y in moves:
        by_way[id(x.place), id(y.place)].append((x, y))
    for found in by_way.values():
        x, y = found[0]
        texts = tuple(a.statement.text for a, _ in found), tuple(b.statement.text for _, b in found)
        yield _change("moved", "behaviour", x.place, y.place, x.statement, y.statement, "function", *texts)
        pairs = [(a.statement, b.statement) for a, b in found]
        other = [(s, t) for s, t in pairs if s.text != t.text and not reworded(s.text, t.text)]
        if other:
            yield _texts("statement", x.place, y.place, other)


def _by_place(loose: Iterable[Loose], done: Collection[int]) -> dict[int, list[Statement]]:
    out: dict[int, list[Statement]] = defaultdict(list)
    for item in loose:
        if id(item.statement) not in done:
            out[id(item.place)].append(item.statement)
    return out


def _conditions(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The conditions of one side only, as written, without those that differ in the names of locals only."""
    more = sorted(after.keys() - before.keys())
    less = []
    for condition in sorted(before.keys() - after.keys()):
        twin = next((c for c in more if reworded(condition, c)), None)
        if twin is None:
            less.append(condition)
        else:
            more.remove(twin)
    return [before[c] for c in less], [after[c] for c in more]


def _spelt(parameters: dict[str, str]) -> tuple[str, ...]:
    return (f"({', '.join(f'{n}={v}' if v else n for n, v in parameters.items())})",)


def _change(
    kind: Kind,
    severity: Severity,
    x: Place | None,
    y: Place | None,
    s: Statement | None,
    t: Statement | None,
    detail: str = "",
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
) -> Change:
    role, action, layer, _ = (y or x).key  # type: ignore[union-attr]
    site = (t or s).site  # type: ignore[union-attr]
    ends: list[End | None] = [end_of(e.site, text) if e else None for e, text in ((s, before), (t, after))]
    return Change("site", site.rule, kind, severity, ends[0], ends[1], detail, role, action, layer)
