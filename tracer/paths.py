"""How does A reach B? A lazy search over edges, and the path step by step with every crossing named.

Only the functions on the way are opened. The shortest path by trust wins: a sure edge costs 1, a virtual or declared
one 2, one by name 4. A path that cannot be completed ends with the last step that was reached, and why it stops.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import networkx as nx

from tracer.errors import UsageError
from tracer.graph.edges import Edges, Link
from tracer.graph.world import Sym, World
from tracer.model import Path, Step

COST = {"exact": 1, "typed": 1, "observed": 1, "inherited": 2, "declared": 2, "by_name": 4}
REACH = 6000  # functions opened in one search; more is "no path within reach", said so


class Paths:
    """Finds paths in one world."""

    def __init__(self, edges: Edges) -> None:
        self.edges, self.world = edges, edges.world

    def symbol(self, name: str) -> list[Sym]:
        """The functions that `name` (a symbol or any tail of it) means; `UsageError` with near names if none."""
        found = [s for s in self.world.functions(name) if self.world.kind(s) == "function"]
        if not found:
            raise UsageError(f"no function {name!r}", todo=_near(self.world, name))
        return found

    def between(self, start: str, end: str, count: int = 1, through: Sequence[str] = ()) -> list[Path]:
        """Up to `count` paths from `start` to `end`, best first; one that stops short if there is none."""
        sources, goals = self.symbol(start), set(self.symbol(end))
        graph = self.explore(sources, goals)
        reached = [g for g in goals if g in graph and any(nx.has_path(graph, s, g) for s in sources)]
        title = f"{start} → {end}"
        if not reached:
            return [self._stopped(graph, sources, title)]
        best: list[tuple[int, list[Sym]]] = []
        for s in sources:
            for g in reached:
                if s != g and nx.has_path(graph, s, g):
                    ways = _first(nx.shortest_simple_paths(graph, s, g, weight="cost"), count * 8)
                    kept = (w for w in ways if all(any(self.world.matches(n, t) for n in w) for t in through))
                    best += [(nx.path_weight(graph, w, "cost"), w) for w in kept]
        best.sort(key=lambda b: (b[0], [self.world.symbol(n) for n in b[1]]))
        if not best:
            return [Path("path", title, (), f"no path through {', '.join(through)}")]
        return [Path("path", title, self._steps(graph, nodes), "complete") for _, nodes in best[:count]]

    def explore(self, sources: Sequence[Sym], goals: set[Sym]) -> nx.DiGraph:
        """The graph around `sources`, cheapest first, until every goal is reached or `REACH` functions are open."""
        graph = nx.DiGraph()
        graph.add_nodes_from(sources)
        waves: dict[int, list[Sym]] = {0: list(sources)}
        done: set[Sym] = set()
        missing = set(goals)
        while waves and missing and len(done) < REACH:
            cost = min(waves)
            for sym in waves.pop(cost):
                if sym in done:
                    continue
                done.add(sym)
                missing.discard(sym)
                for link in self.edges.out_of(sym):
                    if not isinstance(link.target, Sym) or link.target == sym:
                        continue
                    price = COST.get(link.basis, 8)
                    held = graph.get_edge_data(sym, link.target)
                    if held is None or price < held["cost"]:
                        graph.add_edge(sym, link.target, cost=price, link=link)
                    if link.target not in done:
                        waves.setdefault(cost + price, []).append(link.target)
        return graph

    def _steps(self, graph: nx.DiGraph, nodes: Sequence[Sym]) -> tuple[Step, ...]:
        steps = [self._step(nodes[0], None)]
        return (*steps, *(self._step(b, graph.edges[a, b]["link"]) for a, b in itertools.pairwise(nodes)))

    def _step(self, sym: Sym, link: Link | None) -> Step:
        d = self.world.definition(sym)
        line = d.line if d else 1
        if link is None:
            return Step(self.world.symbol(sym), self.world.path(sym.file), line)
        return Step(
            self.world.symbol(sym),
            self.world.path(sym.file),
            line,
            link.kind,
            self.world.path(link.file),
            link.line,
            link.basis,
        )

    def _stopped(self, graph: nx.DiGraph, sources: Sequence[Sym], title: str) -> Path:
        """The way to the farthest function that was reached, and what could not be followed from there."""
        lengths = nx.multi_source_dijkstra_path(graph, set(sources), weight="cost")
        far = max(lengths.values(), key=lambda nodes: (len(nodes), self.world.symbol(nodes[-1])))
        open_ends = sum(1 for link in self.edges.out_of(far[-1]) if link.basis == "unresolved")
        why = f"no way found among {graph.number_of_nodes()} functions reached"
        if graph.number_of_nodes() >= REACH:
            why += " (the search's limit)"
        if open_ends:
            why += f"; the last step has {open_ends} calls that do not resolve"
        return Path("path", title, self._steps(graph, far), why)


def _first(items: object, count: int) -> list[list[Sym]]:
    out: list[list[Sym]] = []
    for nodes in items:  # type: ignore[attr-defined]
        out.append(nodes)
        if len(out) >= count:
            break
    return out


def _near(world: World, name: str) -> str:
    from rapidfuzz import process

    leaf = name.replace("::", ".").rsplit(".", 1)[-1]
    near = process.extract(leaf, sorted(world.names("d")), limit=3, score_cutoff=60)
    return f"nearest: {', '.join(n for n, *_ in near)}" if near else "give `Class.method` or a full symbol"
