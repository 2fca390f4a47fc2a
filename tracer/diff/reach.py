"""Who runs the functions that play a role, and under which conditions: callers, threads, handlers, one step back.

Takes the graph of one version and its places; makes `Runs`, kept in the cache. Compared for places that are the same
one in both versions: a caller that is gated otherwise, one that is new or gone, another kind of crossing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from tracer.diff.compare import Comparison
from tracer.diff.model import Change, Kind
from tracer.diff.normal import conditions, reworded
from tracer.diff.places import Place, Side, end_of, tail
from tracer.graph.hops import Hops
from tracer.graph.places import Match
from tracer.graph.world import Sym
from tracer.model import Site
from tracer.paths.stations import Stations
from tracer.readings import Readings

FED = frozenset({"state", "device"})  # a hand-over of data does not run the other end
CROSSINGS = frozenset({"thread", "process", "rpc", "async", "binding"})
SURE = frozenset({"exact", "typed", "inherited", "observed"})
DECLARED = frozenset({"rpc", "binding"})  # a declared thread or task is woken through shared state, not started
CALLED = "call"
CALLERS = "callers"
GATED = "conditions of a caller"
SHOWN = 12


class Run(msgspec.Struct, frozen=True):
    """A function that runs the place's function: how, where, under which conditions (normalised → as written)."""

    symbol: str
    kind: str
    file: str
    line: int
    conditions: dict[str, str]


Runs = dict[str, list[Run]]  # function of a place → who runs it


def runs_of(hops: Hops, side: Side, engine: str) -> Runs:
    """Who runs the function of each place."""
    stations, readings = Stations(hops, lambda _: ()), hops.uses.once(Readings)
    first: dict[str, Site] = {}
    for place in side.all:
        first.setdefault(place.symbol, place.sites[0])
    out: Runs = {}
    for symbol, site in first.items():
        sym = stations.at(site.file, site.first, engine)
        out[symbol] = list(_runs(hops, readings, sym)) if sym is not None else []
    return out


def _runs(hops: Hops, readings: Readings, sym: Sym) -> Iterator[Run]:
    world = hops.world
    seen: set[tuple[Sym, str]] = set()
    for link in hops.into(sym):
        kind = link.kind if link.kind in CROSSINGS else CALLED
        sure = link.basis in SURE or (link.basis == "declared" and kind in DECLARED)
        if link.kind in FED or not sure or world.context(link.file):
            continue
        if (link.source, kind) in seen:
            continue
        seen.add((link.source, kind))
        guards: tuple[str, ...] = ()
        if link.source.index >= 0:
            guards = readings.guards(Match(link.file, link.source.index, link.line, link.line, "call", "exact"))
        found = conditions(guards, world.view(link.file).python)
        yield Run(world.symbol(link.source), kind, world.path(link.file), link.line, found)


def changes(found: Comparison, before: Runs, after: Runs) -> Iterator[Change]:
    """What differs in who runs the function of a place, once for each pair of functions."""
    names = {tail(x.symbol, 2): tail(y.symbol, 2) for x, y in _ways(found)}
    seen: set[tuple[str, str]] = set()
    for x, y in _ways(found):
        if (x.symbol, y.symbol) in seen or x.symbol not in before or y.symbol not in after:
            continue
        seen.add((x.symbol, y.symbol))
        yield from _compare(x, y, before[x.symbol], after[y.symbol], names)


def _ways(found: Comparison) -> list[tuple[Place, Place]]:
    return [*found.pairs, *((h.before, h.after) for h in found.heirs if not h.detail)]


def _compare(
    x: Place, y: Place, before: Sequence[Run], after: Sequence[Run], names: Mapping[tuple[str, ...], tuple[str, ...]]
) -> Iterator[Change]:
    old = {(names.get(tail(r.symbol, 2), tail(r.symbol, 2)), r.kind): r for r in before}
    new = {(tail(r.symbol, 2), r.kind): r for r in after}
    texts: tuple[list[str], list[str]] = [], []
    for key in sorted(old.keys() & new.keys()):
        was, now = old[key], new[key]
        for side, run, differing in zip(texts, (was, now), _differ(was.conditions, now.conditions), strict=True):
            side += [f"{_told(run)} only if {c}" for c in differing]
    if any(texts):
        yield _change("guard", x, y, GATED, *texts)
    lost = [old[k] for k in sorted(old.keys() - new.keys())]
    won = [new[k] for k in sorted(new.keys() - old.keys())]
    lost, won = _renamed(lost, won)
    if lost or won:
        yield _change("path", x, y, CALLERS, *([_told(r) for r in side[:SHOWN]] for side in (lost, won)))


def _renamed(lost: list[Run], won: list[Run]) -> tuple[list[Run], list[Run]]:
    """Without callers that have another class or another name in one file only: that is no other way to get here."""
    for same in (_by_method, _by_file):
        for r in list(lost):
            twin = next((w for w in won if same(w) == same(r)), None)
            if twin is not None:
                lost.remove(r)
                won.remove(twin)
    return lost, won


def _by_method(r: Run) -> tuple[str, ...]:
    return (r.kind, *tail(r.symbol, 1))


def _by_file(r: Run) -> tuple[str, ...]:
    return (r.kind, r.file)


def _differ(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[str], list[str]]:
    more = sorted(after.keys() - before.keys())
    less = []
    for c in sorted(before.keys() - after.keys()):
        twin = next((m for m in more if reworded(c, m)), None)
        if twin is None:
            less.append(before[c])
        else:
            more.remove(twin)
    return less, [after[c] for c in more]


def _told(r: Run) -> str:
    how = "called" if r.kind == CALLED else f"run by {r.kind}"
    return f"{how} from {'.'.join(tail(r.symbol, 2))} ({r.file}:{r.line})"


def _change(kind: Kind, x: Place, y: Place, detail: str, before: Iterable[str], after: Iterable[str]) -> Change:
    role, action, layer, _ = y.key
    s, t = x.sites[0], y.sites[0]
    ends = [end_of(site, tuple(text)) for site, text in ((s, before), (t, after))]
    return Change("site", t.rule, kind, "behaviour", ends[0], ends[1], detail, role, action, layer)
