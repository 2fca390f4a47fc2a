"""Who plays a part after its function is gone: another function that is new, does the same to the same state.

Takes places without partner whose function no longer exists, and the places of functions that did not exist before.
The heir has the method's name in a class that is new; or it shares operation and state (`augment+ pins`), whatever
the code around looks like, and nobody else does that, or its class is the old one's heir and its name is alike.
Several places may have one heir (merged), one may have several (split).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from tracer.diff.families import by_method, related
from tracer.diff.places import Place, Side, Statement

MERGED = "several became one"
SPLIT = "one became several"
NAMED_ALIKE = 65.0  # of 100, names of functions
NAMED_NEAR = 40.0  # asked for in any case
NEAR = 55.0  # of 100, names and statements together
FEW = 2  # names of functions that do a thing on one side; more of them tell nobody apart
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
Index = dict[tuple[str, ...], list[Place]]


class Heir(NamedTuple):
    """A place, who plays its part now, and whether it is one of several."""

    before: Place
    after: Place
    detail: str


def heirs(
    gone: Sequence[Place], come: Sequence[Place], pairs: Sequence[tuple[Place, Place]], a: Side, b: Side
) -> list[Heir]:
    """An heir for each of `gone` that has one; then, of `come`, those who inherit from a place that had an heir."""
    lost = [x for x in gone if not b.defines(x)]
    new = [y for y in b.all if not a.defines(y)]
    free = {id(y) for y in come}
    found = _by_name(lost, new, b)
    kin = Kin((*pairs, *found), lost, new, b)
    done = {id(x) for x, _ in found}
    found += kin.forwards([x for x in lost if id(x) not in done], free)
    taken = {id(y) for _, y in found}
    more = kin.backwards([y for y in come if not a.defines(y) and id(y) not in taken])
    per_heir = Counter(id(y) for _, y in found)
    per_origin = Counter(id(x) for x, _ in (*found, *more))
    out = []
    for x, y in (*found, *more):
        merged = per_heir[id(y)] > 1 or id(y) not in free
        out.append(Heir(x, y, MERGED if merged else SPLIT if per_origin[id(x)] > 1 else ""))
    return out


def _by_name(lost: Sequence[Place], new: Sequence[Place], b: Side) -> list[tuple[Place, Place]]:
    """The same method of another class, where the class is gone."""
    homes = by_method(new)
    out = []
    for x in lost:
        if not x.owner or b.has_class(x.owner):
            continue
        others = [y for y in homes.get((*x.key[:3], *x.tail(1)), []) if y.owner]
        if others:
            out.append((x, max(others, key=lambda y: (_likeness(x, y), y.symbol))))
    return out


class Kin:
    """Finds heirs by what is done to which state, by who is whose class's heir, and by names."""

    def __init__(
        self, known: Iterable[tuple[Place, Place]], lost: Sequence[Place], new: Sequence[Place], b: Side
    ) -> None:
        self._b = b
        self._classes = {(x.owner, y.owner) for x, y in known if x.owner and y.owner}
        self._lost, self._new = _index(lost), _index(new)

    def forwards(self, places: Iterable[Place], free: set[int]) -> list[tuple[Place, Place]]:
        """For each place its likest heir, those without a partner of their own first."""
        out = []
        for x in places:
            fit = [
                (self._kin(x, y), id(y) in free, _likeness(x, y), y.symbol, y)
                for y in self._of(x, self._new)
                if self._fits(x, y)
            ]
            if fit:
                out.append((x, max(fit, key=lambda t: t[:4])[4]))
        return out

    def backwards(self, places: Iterable[Place]) -> list[tuple[Place, Place]]:
        """For each new place the likest of those it may inherit from."""
        out = []
        for y in places:
            fit = [(self._kin(x, y), _likeness(x, y), x.symbol, x) for x in self._of(y, self._lost) if self._fits(x, y)]
            if fit:
                out.append((max(fit, key=lambda t: t[:3])[3], y))
        return out

    def _of(self, place: Place, index: Index) -> list[Place]:
        found: dict[int, Place] = {}
        for deed in sorted(place.deeds):
            found.update((id(y), y) for y in index.get((*place.key[:3], deed), []))
        return list(found.values())

    def _kin(self, x: Place, y: Place) -> bool:
        """Whether the class of `y` goes on as the class of `x`, or is of its family."""
        if x.owner == y.owner or (x.owner, y.owner) in self._classes:
            return True
        return _named_after(x.owner, y.owner) or any(related(x, y, self._b))

    def _fits(self, x: Place, y: Place) -> bool:
        kin, names = self._kin(x, y), fuzz.ratio(x.tail(1)[0], y.tail(1)[0])
        if names < NAMED_NEAR:
            return False
        if kin and names >= NAMED_ALIKE:
            return True
        for deed in x.deeds & y.deeds:
            doers = [{p.tail(1) for p in index[(*x.key[:3], deed)]} for index in (self._lost, self._new)]
            call = deed.startswith("call ")
            if max(map(len, doers)) <= FEW and ((kin and not call) or ((kin or not call) and _likeness(x, y) >= NEAR)):
                return True
        return False


def _named_after(old: str, new: str) -> bool:
    """Whether the name of a class has all the words of another one's, and more than one."""
    words = [set(_WORDS.findall(n)) for n in (old, new)]
    return len(words[0]) > 1 and words[0] <= words[1]


def _index(places: Iterable[Place]) -> Index:
    index: Index = defaultdict(list)
    for place in places:
        for deed in sorted(place.deeds):
            index[(*place.key[:3], deed)].append(place)
    return index


def _likeness(x: Place, y: Place) -> float:
    """Half by the names of the functions, half by the likest statements that share a deed."""
    names = float(fuzz.ratio(x.tail(1)[0], y.tail(1)[0]))
    return 0.5 * names + 0.5 * max((float(fuzz.ratio(s.text, t.text)) for s, t in steps(x, y)), default=0.0)


def steps(x: Place, y: Place) -> list[tuple[Statement, Statement]]:
    """Statements of both places that share a deed, each with its likest; of places without deeds the likest at all."""
    out: list[tuple[Statement, Statement]] = []
    for s in x.statements:
        others = [t for t in y.statements if not s.deeds or not t.deeds or s.deeds & t.deeds]
        if others:
            out.append((s, max(others, key=lambda t: (fuzz.ratio(s.text, t.text), -t.site.first))))
    return out
