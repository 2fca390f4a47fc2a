"""Does a way lead from one place to another, across calls and crossings? reaches · not_reaches.

Takes the functions that hold the places of two selectors; asks `paths` for a way. "No way" is only said where the
search ended by itself, and no step that is known by name only leads there.
"""

from __future__ import annotations

from itertools import pairwise

import networkx as nx

from tracer.claims.model import Evidence, Judged, Predicate, Search, Verdict
from tracer.claims.presence import SHOWN
from tracer.claims.select import Place, Places
from tracer.graph.edges import Edges
from tracer.graph.world import Sym
from tracer.paths import REACH, Paths

SURE = 4  # from this price on an edge is a guess by name


def reaches(places: Places, p: Predicate) -> Judged:
    """Some function that does `from` leads to one that does `to`; the way is the evidence."""
    return _search(places, p, wanted=True)


def not_reaches(places: Places, p: Predicate) -> Judged:
    """No function that does `from` leads to one that does `to`."""
    return _search(places, p, wanted=False)


def _search(places: Places, p: Predicate, *, wanted: bool) -> Judged:
    found = {part: places.of(p.parts[part]) for part in ("from", "to")}
    for part, some in found.items():
        if not some:
            why = places.lacking(p.parts[part]) or f"nothing of the kind of `{part}` is found"
            return Judged("unknown", (), places.searches(p.parts[part]), why)
    sources, goals = _functions(places, found["from"]), _functions(places, found["to"])
    ends = (*places.evidence("from", found["from"][:SHOWN]), *places.evidence("to", found["to"][:SHOWN]))
    if not sources or not goals:
        return Judged("unknown", ends, (), "one of the two ends is in no function")
    paths = Paths(Edges(places.roles.uses))
    graph = paths.explore(sorted(sources), set(goals))
    way = _way(graph, sources, goals, p, places)
    if way is None:
        limit = graph.number_of_nodes() >= REACH
        search = Search("a way between the two", "all edges", graph.number_of_nodes())
        why = f"no way among {graph.number_of_nodes()} functions{' (the limit of a search)' if limit else ''}"
        verdict: Verdict = "unknown" if limit else "fails" if wanted else "holds"
        return Judged(verdict, ends, (search,), "" if verdict == "holds" else why)
    steps = _steps(places, graph, way)
    guessed = any(graph.edges[a, b]["cost"] >= SURE for a, b in pairwise(way))
    shown = (*_held(places, "from", found["from"], way[0]), *steps, *_held(places, "to", found["to"], way[-1]))
    if guessed:
        return Judged("unknown", shown, (), "the only way found has a step that is known by name alone")
    why = "" if wanted else " → ".join(places.world.symbol(s) for s in way)
    return Judged("holds" if wanted else "fails", shown, (), why)


def _functions(places: Places, found: tuple[Place, ...]) -> list[Sym]:
    """The functions that hold the places (of a closure: the closure itself)."""
    held = {Sym(p.file, places.world.function_of(p.file, p.scope)) for p in found if p.file >= 0}
    return sorted(s for s in held if s.index >= 0)


def _way(graph: nx.DiGraph, sources: list[Sym], goals: list[Sym], p: Predicate, places: Places) -> list[Sym] | None:
    through = p.options.get("through") or ()
    wanted = [through] if isinstance(through, str) else list(through)
    best: tuple[float, list[Sym]] | None = None
    for source in sources:
        if source not in graph:
            continue
        for goal in goals:
            if goal not in graph or not nx.has_path(graph, source, goal):
                continue
            way = nx.shortest_path(graph, source, goal, weight="cost")
            cost = nx.path_weight(graph, way, "cost") if len(way) > 1 else 0
            if all(any(places.world.matches(s, t) for s in way) for t in wanted) and (best is None or cost < best[0]):
                best = (cost, way)
    return best[1] if best else None


def _steps(places: Places, graph: nx.DiGraph, way: list[Sym]) -> tuple[Evidence, ...]:
    out = []
    for a, b in pairwise(way):
        link = graph.edges[a, b]["link"]
        place = places.place(places.world.path(link.file), link.line)
        part = f"step: {link.kind} to {places.world.symbol(b)}"
        out.append(places.lines(part, place.path, place.first, place.last, places.world.symbol(a), link.basis))
    return tuple(out)


def _held(places: Places, part: str, found: tuple[Place, ...], sym: Sym) -> tuple[Evidence, ...]:
    """Those of the places that the function at this end of the way holds."""
    world = places.world
    return places.evidence(part, [p for p in found if Sym(p.file, world.function_of(p.file, p.scope)) == sym])
