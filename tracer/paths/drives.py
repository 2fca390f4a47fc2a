"""Which loops, threads, handlers and public functions reach a site, and under which conditions on the way?

Goes backwards from the function that holds the site, cheapest first, over control only (what fills a container that
this function drains does not run it). It ends at entries: what a thread, task, process or RPC starts, handlers that a
decorator registers, and functions that nobody here calls. A `while` that reaches the site on a way of its own, under an
entry whose cheapest way is another, is named as well: each loop has its own end. Guards are read for what is shown.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tracer.graph.edges import Link
from tracer.graph.hops import COST, Hops
from tracer.graph.places import Match
from tracer.graph.world import Sym
from tracer.model import Path, Step
from tracer.paths.follow import step_of
from tracer.paths.stations import Stations
from tracer.readings import Readings
from tracer.survey.store import last_part

REACH = 2000  # functions looked at from one site; more is said
FED = frozenset({"state", "device"})  # a hand-over of data: its other end does not run this one
STARTS = frozenset({"thread", "process", "rpc", "async", "binding"})
# Decorators that hand the function to somebody who calls it: a method of an object (`app.post`), or so named.
_REGISTERS = re.compile(
    r"^(?!(?:torch|functools|abc|typing|contextlib|numba|triton)\b)\w+\.\w+\(|handler|route|listener|command|rpc"
)


@dataclass(frozen=True, slots=True)
class Driven:
    """A site and its entries: each a path from the entry down to the site, named by the kind of entry."""

    site: Step
    entries: tuple[Path, ...]
    looked_at: int
    limit: bool


class Drives:
    """Finds entries in one world."""

    def __init__(self, hops: Hops, stations: Stations) -> None:
        self.hops, self.world, self.stations = hops, hops.world, stations
        self.readings = hops.uses.once(Readings)

    def of(self, name: str, most: int = 40) -> list[Driven]:
        """One answer per function that `name` (a symbol, FILE:LINE or a rule's id) means."""
        return [self._of(sym, line, most) for sym, line in self._sites(name)]

    def _sites(self, name: str) -> list[tuple[Sym, int]]:
        file, _, line = name.rpartition(":")
        at = int(line) if file and line.isdigit() else 0
        places = self.stations.places_of_rule(name) if not at else []
        return places or [(sym, at) for sym in self.stations.named(name)]

    def _of(self, sym: Sym, line: int, most: int) -> Driven:
        towards: dict[Sym, Link] = {}
        costs = {sym: 0}
        heap = [(0, sym)]
        entries: list[tuple[str, Sym, Link | None]] = []
        done: set[Sym] = set()
        calls: dict[Sym, list[Link]] = {}
        while heap and len(done) < REACH:
            cost, at = heapq.heappop(heap)
            if at in done:
                continue
            done.add(at)
            into = [link for link in self.hops.into(at) if link.kind not in FED]
            onward = list(self._onward(at, into))
            entries += self._entries(at, into, onward)
            for link in onward:
                calls.setdefault(link.source, []).append(link)
                total = cost + COST.get(link.basis, 8)
                if link.source not in done and total < costs.get(link.source, 1 << 30):
                    costs[link.source] = total
                    towards[link.source] = link
                    heapq.heappush(heap, (total, link.source))
        entries.sort(key=lambda e: (e[0], costs[e[1]], self.world.symbol(e[1])))
        paths = [self._path(kind, entry, start, towards, sym) for kind, entry, start in entries[:most]]
        on_way = {step.symbol for path in paths for step in path.steps}
        for around in sorted(done - {sym}, key=lambda s: (costs[s], self.world.symbol(s))):
            inner = self._looped(calls.get(around, ()), costs) if len(paths) < most else None
            if inner is not None and self.world.symbol(around) not in on_way:
                paths.append(self._path("loop", around, None, towards | {around: inner}, sym))
        site = step_of(self.world, sym, None, self.stations.engine(sym))
        if line:
            site = replace(site, from_file=site.file, from_line=line, guards=self._guards(sym.file, sym.index, line))
        return Driven(site, tuple(paths), len(done), bool(heap) or len(entries) > most)

    # -- entries -----------------------------------------------------------------------
    def _entries(
        self, at: Sym, into: list[Link], onward: list[Link]
    ) -> Iterator[tuple[str, Sym, Link | None]]:
        """The kinds of entry that `at` is, with the link that starts it where there is one."""
        runs = [k for k in onward if k.kind != "binding"]
        starts = [k for k in into if k.kind in STARTS and (k.basis == "exact" or k.kind in ("rpc", "binding"))]
        fed = [k for k in into if k.kind in STARTS and k not in starts]
        seen: set[str] = set()
        for link in starts or (fed if not runs else ()):
            if link.kind not in seen:
                seen.add(link.kind)
                yield self._kind(link, at), at, link
        handed = [k for k in into if k.kind == "callback" and k not in runs]
        handler = self._handler(at)
        if handler:
            yield f"handler @{handler}", at, None
        elif not runs and not starts and not fed:
            if handed:
                yield "callback", at, handed[0]
            else:
                yield self._uncalled(at), at, None

    def _kind(self, link: Link, at: Sym) -> str:
        if link.kind == "rpc":
            return "rpc handler"
        if link.kind == "binding":
            return "bound to Python"
        return f"{link.kind} loop" if self._loops(at) else link.kind

    def _loops(self, sym: Sym) -> bool:
        reading = self.readings.of(sym.file, sym.index)
        return any(s.kind == "while" for s in reading.statements()) if reading else False

    def _handler(self, sym: Sym) -> str:
        d = self.world.definition(sym)
        found = (text for text in (d.decorators if d else ()) if _REGISTERS.search(text.split("(")[0] + "("))
        return next((text.split("(")[0] for text in found), "")

    def _uncalled(self, sym: Sym) -> str:
        d = self.world.definition(sym)
        if d is None:
            return "module level"
        name = last_part(d.name)
        if name == "main":
            return "main"
        private = name.startswith("_") and not name.startswith("__")
        return "nobody here calls it" if private or self._inner(sym) else "public API"

    def _inner(self, sym: Sym) -> bool:
        d = self.world.definition(sym)
        return d is not None and d.parent >= 0 and self.world.kind(Sym(sym.file, d.parent)) == "function"

    def _looped(self, links: Sequence[Link], costs: dict[Sym, int]) -> Link | None:
        """The nearest to the site of the calls that one function makes in a `while` of its own."""
        for link in sorted(links, key=lambda k: (costs.get(k.target, 0) if isinstance(k.target, Sym) else 0, k.line)):
            d = self.world.definition(link.source)
            lines = self.readings.lines(link.file)[d.line - 1 : link.line] if d is not None else ()
            if not any("while" in line for line in lines):
                continue
            reading = self.readings.of(link.file, link.source.index)
            around = reading.holders(link.line) if reading is not None else ()
            if any(block.statements[at].kind == "while" for block, at in around):
                return link
        return None

    def _onward(self, at: Sym, into: list[Link]) -> Iterator[Link]:
        """The links to follow further back: calls, also of what a field holds; and what binds C++ to Python."""
        places: set[tuple[int, int]] = set()
        if any(k.kind == "callback" for k in into):
            places = {(c.file, c.call.line) for c in self.hops.uses.calls.callers(at)}
        for link in into:
            called = link.kind == "callback" and (link.file, link.line) in places
            if (called or link.kind in ("call", "dynamic", "binding")) and link.source.index >= -1:
                yield link

    # -- what is shown -----------------------------------------------------------------
    def _path(self, kind: str, entry: Sym, start: Link | None, towards: dict[Sym, Link], site: Sym) -> Path:
        first = step_of(self.world, entry, None, self.stations.engine(entry))
        if start is not None:
            first = replace(first, edge=start.kind, from_file=self.world.path(start.file), from_line=start.line,
                            basis=start.basis)  # fmt: skip
        steps = [first]
        at = entry
        while at != site:
            link = towards[at]
            assert isinstance(link.target, Sym)
            guards = self._guards(link.file, link.source.index, link.line)
            step = step_of(self.world, link.target, link, self.stations.engine(link.target))
            steps.append(replace(step, guards=guards))
            at = link.target
        return Path(kind, f"{self.world.symbol(entry)}", tuple(steps), "complete")

    def _guards(self, file: int, scope: int, line: int) -> tuple[str, ...]:
        return self.readings.guards(Match(file, scope, line, line, "call", "exact")) if scope >= 0 else ()
