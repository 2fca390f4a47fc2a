"""Shortest way by trust through stations (sets of functions), over links that are looked up as the search goes.

One wave per leg: from everything the leg before arrived at, cheapest first, until the next station's functions are
met. Hits that cost a little more than the first are kept, because the next leg may be cheaper, or possible, only from
there. The result is the whole way, or the way to where it had to stop.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tracer.graph.edges import Link
from tracer.graph.hops import Hops
from tracer.graph.world import Sym

REACH = 9000  # functions opened in one search; more is "no path within reach", said so
SLACK = (8, 64)  # how much dearer than the first a hit may be: at first, and where nothing followed from those
LAST = (0,)  # nothing follows the last station, so the cheapest hits alone count


@dataclass(frozen=True, slots=True)
class Way:
    """A chain of links from `start`; `legs[i]` is how many links lead to station i. `missing`: the one not reached.

    `opened` counts the functions looked at; `limit` is whether the search gave up for their number.
    """

    start: Sym
    links: tuple[Link, ...]
    legs: tuple[int, ...]
    cost: int
    missing: int = -1
    opened: int = 0
    limit: bool = False

    @property
    def end(self) -> Sym:
        """Where the way arrives."""
        return self.links[-1].target if self.links else self.start  # type: ignore[return-value]


class Search:
    """One question's search: which links it may take, and what they cost more."""

    def __init__(
        self,
        hops: Hops,
        allowed: Callable[[Link], bool] | None = None,
        clue: Callable[[Sym, set[Sym]], bool] | None = None,
        reach: int = REACH,
    ) -> None:
        self.hops, self.allowed, self.clue, self.reach = hops, allowed, clue, reach
        self.opened: set[Sym] = set()
        self.toll: dict[tuple[Sym, Sym], int] = {}

    def along(self, stations: Sequence[set[Sym]]) -> Way | None:
        """The cheapest way that starts in the first of `stations` and meets the others in order; None without start."""
        if not stations or not stations[0]:
            return None
        starts = {s: Way(s, (), (0,), 0) for s in stations[0]}
        return self._from(stations, 0, starts)

    def _from(self, stations: Sequence[set[Sym]], at: int, ways: Mapping[Sym, Way]) -> Way:
        """`ways` arrive at station `at`; go on from there."""
        if at == len(stations) - 1:
            return min(ways.values(), key=lambda w: (w.cost, w.start, w.end))
        wave = _Wave(self, ways, stations[at + 1])
        best: Way | None = None
        for slack in SLACK if at + 2 < len(stations) else LAST:
            hits = wave.more(slack)
            if not hits:
                break
            found = self._from(stations, at + 1, hits)
            if found.missing < 0:
                return found
            if best is None or found.missing > best.missing:
                best = found
        if best is not None:
            return best
        stop = wave.farthest() or min(ways.values(), key=lambda w: (w.cost, w.start, w.end))
        return replace(stop, missing=at + 1, opened=len(self.opened), limit=len(self.opened) >= self.reach)

    def links(self, sym: Sym) -> list[tuple[int, Link]]:
        """The links out of `sym` that may be taken, with their cost."""
        if sym not in self.opened:
            if len(self.opened) >= self.reach:
                return []
            self.opened.add(sym)
        out = []
        for cost, link in self.hops.out(sym).links:
            if self.allowed is None or self.allowed(link):
                out.append((cost + self.toll.get((sym, link.target), 0), link))  # type: ignore[arg-type]
        return out

    def shun(self, way: Way, toll: int) -> None:
        """Make the links of `way` dearer, so that the next answer is another one."""
        for link in way.links:
            key = (link.source, link.target)
            self.toll[key] = self.toll.get(key, 0) + toll  # type: ignore[arg-type, index]


class _Wave:
    """One leg: a wave from where the ways arrive, which can be let run on."""

    def __init__(self, search: Search, ways: Mapping[Sym, Way], goals: set[Sym]) -> None:
        self.search, self.ways, self.goals = search, ways, goals
        self.heap: list[tuple[int, Sym]] = [(w.cost, s) for s, w in ways.items()]
        heapq.heapify(self.heap)
        self.costs: dict[Sym, int] = {s: w.cost for s, w in ways.items()}
        self.came: dict[Sym, Link] = {}
        self.done: set[Sym] = set()
        self.first: int | None = None
        self.left = set(goals)  # those that were not met

    def more(self, slack: int) -> dict[Sym, Way]:
        """The goals met for the first time that cost at most `slack` more than the cheapest."""
        hits: dict[Sym, Way] = {}
        while self.heap and self.left:
            cost, sym = self.heap[0]
            if self.first is not None and cost > self.first + slack:
                break
            heapq.heappop(self.heap)
            if sym in self.done:
                continue
            self.done.add(sym)
            if sym in self.goals:
                self.first = cost if self.first is None else self.first
                hits[sym] = self._way(sym, cost)
                self.left.discard(sym)
                if not self.left:  # going on would find nothing more
                    break
            for price, link in self.search.links(sym):
                target = link.target
                assert isinstance(target, Sym)
                total = cost + price
                if target not in self.done and total < self.costs.get(target, 1 << 30):
                    self.costs[target] = total
                    self.came[target] = link
                    heapq.heappush(self.heap, (total, target))
        return hits

    def farthest(self) -> Way | None:
        """The way to the nearest function that has a clue to the goals, where none of them was met."""
        clue = self.search.clue
        if clue is None:
            return None
        near = sorted((self.costs[s], s) for s in self.done)
        found = next(((cost, s) for cost, s in near if clue(s, self.goals)), None)
        return self._way(found[1], found[0]) if found else None

    def _way(self, sym: Sym, cost: int) -> Way:
        links: list[Link] = []
        at = sym
        while at in self.came:
            links.append(self.came[at])
            at = self.came[at].source
        before = self.ways[at]
        chain = (*before.links, *reversed(links))
        return Way(before.start, chain, (*before.legs, len(chain)), cost)
