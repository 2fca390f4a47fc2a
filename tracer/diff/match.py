"""Which place of the older version is which place of the newer one: by name, then by code, never by line.

Stages, each on what the ones before left over: the same function; the same function with another layer or rule; the
same class and function elsewhere; the same method of another class, if its code is alike; a function with nearly the
same code; the same function with another action of the role. What a statement did may also go on in another function:
`travelled`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz

from tracer.diff.families import related
from tracer.diff.places import Place, Side, Statement

SAME_CODE = 75.0  # a function's code is so like another's that it is the same function
SAME_METHOD = 50.0  # enough where its name is the same too
SAME_STATEMENT = 70.0  # a statement goes on in another function
SAME_STEP = 60.0  # enough where the same rule finds it
SAME_TEXT = 90.0  # asked for where file and class are others, and the older function is gone or the newer is none
IMPOSSIBLE = 101.0
OF_ITS_CLASS = 20.0  # for a function whose class is already known to go on as the other's class
_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b|\b[A-Z]\w*(?:\.|\s*::\s*)[A-Z]\w*")


@dataclass(slots=True)
class Matched:
    """Pairs of places, and what has no partner."""

    pairs: list[tuple[Place, Place]]
    before: list[Place]
    after: list[Place]


@dataclass(frozen=True, slots=True)
class Loose:
    """A statement without partner, and the place that it is in."""

    place: Place
    statement: Statement


def match(a: Side, b: Side) -> Matched:
    """Pair the places of two versions of an engine."""
    found = Matched([], list(a.places.values()), list(b.places.values()))
    by_name(found, lambda p: p.key)
    by_name(found, lambda p: (p.key[0], p.key[1], p.symbol))
    by_name(found, lambda p: (*p.key[:3], p.tail(2)) if len(p.tail(2)) == 2 else None)
    by_code(found, lambda p: (*p.key[:3], p.tail(1)), SAME_METHOD)
    by_code(found, lambda p: p.key[:3], SAME_CODE)
    by_name(found, lambda p: (p.key[0], p.symbol))
    found.pairs.sort(key=lambda pair: (pair[1].key, pair[0].key))
    return found


def by_name(found: Matched, key: Callable[[Place], Hashable]) -> None:
    """Pair places that agree in `key`; of several, those whose code is most alike."""
    _pair(found, key, lambda x, y: fuzz.ratio(x.body, y.body), 0)


def by_code(found: Matched, key: Callable[[Place], Hashable], least: float) -> None:
    """Pair places that agree in `key` and whose code is at least so much alike."""
    _pair(found, key, lambda x, y: _alike(x.body, y.body, least), least)


def _pair(
    found: Matched, key: Callable[[Place], Hashable], alike: Callable[[Place, Place], float], least: float
) -> None:
    known = Counter((x.tail(2)[:-1], y.tail(2)[:-1]) for x, y in found.pairs)
    groups: dict[Hashable, tuple[list[Place], list[Place]]] = defaultdict(lambda: ([], []))
    for side, places in enumerate((found.before, found.after)):
        for place in places:
            if (k := key(place)) is not None:
                groups[k][side].append(place)
    taken: set[int] = set()
    for befores, afters in groups.values():
        if not (befores and afters):
            continue
        alone = len(befores) == len(afters) == 1
        scored = [
            (-score - OF_ITS_CLASS * ((x.tail(2)[:-1], y.tail(2)[:-1]) in known) - _of_one_name(x, y), i, j)
            for i, x in enumerate(befores)
            for j, y in enumerate(afters)
            if (score := 100.0 if alone and not least else alike(x, y)) >= least
        ]
        for _, i, j in sorted(scored):
            x, y = befores[i], afters[j]
            if id(x) not in taken and id(y) not in taken:
                taken |= {id(x), id(y)}
                found.pairs.append((x, y))
    found.before = [p for p in found.before if id(p) not in taken]
    found.after = [p for p in found.after if id(p) not in taken]


def _of_one_name(x: Place, y: Place) -> float:
    """A little for classes whose names are alike."""
    return float(fuzz.ratio(x.owner, y.owner)) / 10.0


def statements(
    before: Iterable[Statement], after: Iterable[Statement]
) -> tuple[list[tuple[Statement, Statement]], list[Statement], list[Statement]]:
    """Pair the statements of one place with those of its partner: the same text first, then the most alike."""
    left, right = list(before), list(after)
    scored = sorted(
        (-_weight(x, y), i, j) for i, x in enumerate(left) for j, y in enumerate(right) if _weight(x, y) >= SAME_METHOD
    )
    pairs: list[tuple[int, int]] = []
    for _, i, j in scored:
        if all(i != a and j != b for a, b in pairs):
            pairs.append((i, j))
    if len(left) == len(right) == 1:
        pairs = [(0, 0)]
    done_left, done_right = {i for i, _ in pairs}, {j for _, j in pairs}
    return (
        [(left[i], right[j]) for i, j in sorted(pairs)],
        [s for i, s in enumerate(left) if i not in done_left],
        [s for j, s in enumerate(right) if j not in done_right],
    )


def _weight(x: Statement, y: Statement) -> float:
    """How much two statements are alike; of several with the same text those with the same conditions."""
    a, b = x.conditions.keys(), y.conditions.keys()
    shared = len(a & b) / max(1, len(a | b))
    return float(fuzz.ratio(x.text, y.text)) + shared


def travelled(
    gone: list[Loose], come: list[Loose], a: Side, b: Side, stays: Mapping[int, frozenset[str]]
) -> list[tuple[Loose, Loose]]:
    """Statements that play the same action of a role, now in another function; one statement travels once.

    `stays`: what the partner of an older place (by its `id`) still does; that has not left for another class or file.
    """
    scored = []
    often = [Counter((z.place.key[:3], z.statement.text) for z in side) for side in (gone, come)]
    mine = [Counter((z.place.key[:3], z.place.tail(2)[:-1], z.statement.text) for z in side) for side in (gone, come)]
    arrivals: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for j, y in enumerate(come):
        arrivals[y.place.key[:3]].append(j)
    for i, x in enumerate(gone):
        for j in arrivals.get(x.place.key[:3], ()):
            y = come[j]
            if x.place.symbol == y.place.symbol or not _same_deed(x.statement, y.statement):
                continue
            family = any(related(x.place, y.place, b))
            close = family or _near(x, y)
            counts = [
                of_class[z.place.key[:3], z.place.tail(2)[:-1], z.statement.text]
                if close
                else n[z.place.key[:3], z.statement.text]
                for n, of_class, z in zip(often, mine, (x, y), strict=True)
            ]
            shared = _shared(x.statement, y.statement)
            alike = close and (shared or fuzz.ratio(x.place.tail(1)[0], y.place.tail(1)[0]) >= SAME_STATEMENT)
            if max(counts) > 1 and not alike:
                continue  # one of many that read the same: which one went where, nobody can tell
            if not close and x.statement.deeds & stays.get(id(x.place), frozenset()):
                continue
            least = _least(x, y, family, a, b)
            score = fuzz.ratio(x.statement.text, y.statement.text, score_cutoff=least)
            if score >= least:
                scored.append((-score - OF_ITS_CLASS * (family + shared), i, j))
    out: list[tuple[int, int]] = []
    used_left: set[int] = set()
    used_right: set[int] = set()
    for _, i, j in sorted(scored):
        if i not in used_left and j not in used_right:
            used_left.add(i)
            used_right.add(j)
            out.append((i, j))
    return [(gone[i], come[j]) for i, j in sorted(out)]


def _shared(x: Statement, y: Statement) -> float:
    """The share of the newer statement's conditions that the older one had as well."""
    return len(x.conditions.keys() & y.conditions.keys()) / max(1, len(y.conditions))


def _same_deed(x: Statement, y: Statement) -> bool:
    """Whether two statements do something in common to a state of one name; True where that is not known."""
    return not x.deeds or not y.deeds or bool(x.deeds & y.deeds)


def _least(x: Loose, y: Loose, family: bool, a: Side, b: Side) -> float:
    """How much alike two statements must be to be the same step: more where less else speaks for it."""
    if _constants(x) != _constants(y):
        return IMPOSSIBLE  # another status is another step
    if not family and not _near(x, y) and (a.defines(y.place) or not b.defines(x.place)):
        return SAME_TEXT
    return SAME_STEP if x.statement.site.rule == y.statement.site.rule else SAME_STATEMENT


def _near(x: Loose, y: Loose) -> bool:
    """Whether two statements lie in one file or in classes of one name."""
    return x.place.file == y.place.file or x.place.tail(2)[:-1] == y.place.tail(2)[:-1]


def _constants(item: Loose) -> frozenset[str]:
    return frozenset(_CONSTANT.findall(item.statement.text))


def _alike(a: str, b: str, least: float) -> float:
    shorter, longer = sorted((len(a), len(b)))
    if not longer or 200.0 * shorter / (shorter + longer) < least:
        return 0.0
    return float(fuzz.ratio(a, b, score_cutoff=least))
