"""How does A reach B? A lazy search over edges, and the path step by step with every crossing named.

Only the functions on the way are opened. The shortest path by trust wins: a sure edge is cheap, a virtual or declared
one dearer, one by name or one of many alternatives dearest. A path that cannot be completed ends with the last
step that was reached, and why it stops.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from tracer.globs import path_matches
from tracer.graph.calls import COMMON
from tracer.graph.edges import Link
from tracer.graph.hops import Hops
from tracer.graph.search import Search, Way
from tracer.graph.world import Sym, World
from tracer.model import Path, Step
from tracer.paths.routes import Route
from tracer.paths.stations import Sites, Stations
from tracer.survey.store import last_part

TOLL = 6  # how much dearer a link of one answer is for the next
BACK, CROWD = 3, 120  # steps backwards from a goal that was not reached, and how many functions at most


class Paths:
    """Finds paths in one world."""

    def __init__(self, hops: Hops, sites: Sites = lambda role: ()) -> None:  # noqa: ARG005
        self.hops, self.world = hops, hops.world
        self.stations = Stations(hops, sites)
        self._leading: dict[frozenset[Sym], frozenset[str]] = {}

    def between(
        self,
        start: str,
        end: str,
        count: int = 1,
        through: Sequence[str] = (),
        choices: Sequence[tuple[str, Sequence[str]]] = (),
    ) -> list[Path]:
        """Up to `count` paths from `start` to `end`, best first; one that stops short if there is none.

        `through` names what must be passed, in order. A name is a symbol or a tail of one, `file:line` or a rule's id.
        """
        names = [start, *through, end]
        stops = [set(self.stations.named(name)) for name in names]
        found = self._ways(stops, names, count, self.stations.chosen(choices))
        return [Path("path", f"{start} → {end}", steps, why) for steps, why in found]

    def along(
        self, route: Route, count: int = 1, choices: Sequence[tuple[str, Sequence[str]]] = (), language: str = "en"
    ) -> list[Path]:
        """The named path `route` in this world, up to `count` alternatives; one that stops short if it must."""
        title = (language == "zh" and route.title.zh) or route.title.en
        names = [(language == "zh" and s.what.zh) or s.what.en for s in route.way]
        stops = [self.stations.of(s) for s in route.way]
        shut = self.stations.chosen(choices)
        mine = dict(choices)
        shut |= self.stations.chosen((c for c in route.choose if c[0] not in mine), asked=False)
        found = self._ways(stops, names, count, shut, route.avoid, tell=True)
        return [Path(route.id, title, steps, why) for steps, why in found]

    def _ways(
        self,
        stops: Sequence[set[Sym]],
        names: Sequence[str],
        count: int,
        shut: set[Sym],
        avoid: Collection[str] = (),
        *,
        tell: bool = False,
    ) -> list[tuple[tuple[Step, ...], str]]:
        stops = [{s for s in stop if not shut or self.world.owner(s) not in shut} for stop in stops]
        empty = next((k for k, s in enumerate(stops) if not s), None)
        kept = stops if empty is None else stops[:empty]
        if not kept:
            return [((), f"nothing here is its start ({names[0]})")]
        search = Search(self.hops, self._filter(stops, shut, avoid), self._has_clue)
        ways: list[Way] = []
        for _ in range(count * 2):
            way = search.along(kept)
            assert way is not None
            if way.links not in [w.links for w in ways]:
                ways.append(way)
            if len(ways) == count or way.missing >= 0:
                break
            search.shun(way, TOLL)
        complete = [w for w in ways if w.missing < 0] or ways[:1]
        tolls = {w.links: sum(self._price(link) for link in w.links) for w in complete}
        complete.sort(key=lambda w: tolls[w.links])
        out = []
        for way in complete:
            why = "complete"
            labels = names[: len(way.legs) if way.missing < 0 else way.missing] if tell else ()
            if way.missing >= 0:
                why = self._why(way, stops, names)
            elif empty is not None:
                why = f"stops: nothing here is the next way-point ({names[empty]})"
            out.append((self._steps(way, labels), why))
        return out

    def _price(self, link: Link) -> int:
        return next((c for c, other in self.hops.out(link.source).links if other == link), 0)

    def _filter(
        self, stops: Sequence[set[Sym]], shut: set[Sym], avoid: Collection[str]
    ) -> Callable[[Link], bool]:
        wanted = {s for stop in stops for s in stop}
        closed: dict[int, bool] = {}

        def allowed(link: Link) -> bool:
            target = link.target
            assert isinstance(target, Sym)
            if shut and self.world.owner(target) in shut:
                return False
            if target in wanted:
                return True
            if target.file not in closed:
                closed[target.file] = bool(self.world.context(target.file)) or (
                    bool(avoid) and path_matches(self.world.path(target.file), avoid)
                )
            return not closed[target.file]

        return allowed

    # -- steps -------------------------------------------------------------------------
    def _steps(self, way: Way, labels: Sequence[str]) -> tuple[Step, ...]:
        marks: dict[int, list[str]] = {}
        for k, label in enumerate(labels):
            marks.setdefault(way.legs[k], []).append(label)
        chain: list[Link | None] = [None, *way.links]
        return tuple(self._step(way.start, link, "; ".join(marks.get(k, ()))) for k, link in enumerate(chain))

    def _step(self, start: Sym, link: Link | None, mark: str) -> Step:
        sym = start if link is None else link.target
        assert isinstance(sym, Sym)
        step = step_of(self.world, sym, link, self.stations.engine(sym))
        return replace(step, mark=mark, others=self._others(link) if link is not None else 0)

    def _others(self, link: Link) -> int:
        """How many other implementations the same call may reach."""
        if link.kind != "dynamic":
            return 0
        rivals = {
            o.target
            for _, o in self.hops.out(link.source).links
            if (o.file, o.line, o.kind) == (link.file, link.line, "dynamic")
            and isinstance(o.target, Sym)
            and isinstance(link.target, Sym)
            and self.world.name(o.target) == self.world.name(link.target)
        }
        return len(rivals) - 1

    # -- where it stops ----------------------------------------------------------------
    def _has_clue(self, sym: Sym, goals: set[Sym]) -> bool:
        return self._clue(sym, goals) is not None

    def _clue(self, sym: Sym, goals: set[Sym]) -> tuple[str, int] | None:
        """A call of `sym` that does not resolve and has the name of a goal, or of a function that leads to one."""
        key = frozenset(goals)
        if key not in self._leading:
            self._leading[key] = self._names_before(goals)
        names = self._leading[key]
        return next(((text, line) for text, line in self.hops.out(sym).open if last_part(text) in names), None)

    def _names_before(self, goals: set[Sym]) -> frozenset[str]:
        names = {self.world.name(s) for s in goals}
        seen, wave = set(goals), sorted(goals)
        for _ in range(BACK):
            before = sorted({k.source for s in wave for k in self.hops.into(s)} - seen)
            if not before or len(seen) + len(before) > CROWD:
                break
            seen.update(before)
            names |= {self.world.name(s) for s in before} - COMMON
            wave = before
        return frozenset(n for n in names if n and not n.startswith("__"))

    def _why(self, way: Way, stops: Sequence[set[Sym]], names: Sequence[str]) -> str:
        """Why a way stops: what was not reached, how far was looked, and a call that may be the missing one."""
        why = f"stops: {names[way.missing]} was not reached from here; {way.opened} functions looked at"
        if way.limit:
            why += " (the search's limit)"
        clue = self._clue(way.end, stops[way.missing])
        callees = self.hops.out(way.end).open
        if clue is not None:
            why += f"; `{clue[0]}` at {self.world.path(way.end.file)}:{clue[1]} does not resolve and may be the way on"
        elif callees:
            why += f"; {len(callees)} calls of the last step do not resolve"
        return why


def step_of(world: World, sym: Sym, link: Link | None, engine: str) -> Step:
    """The step that arrives at `sym`, by `link` where it is not the first."""
    d = world.definition(sym)
    step = Step(world.symbol(sym), world.path(sym.file), d.line if d else 1, engine=engine)
    if link is None:
        return step
    return replace(step, edge=link.kind, from_file=world.path(link.file), from_line=link.line, basis=link.basis)
