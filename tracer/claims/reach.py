"""Does a way lead from one place to another, across calls and crossings? reaches · not_reaches.

Takes the functions that hold the places of two selectors; asks for the cheapest way. "No way" is only said where the
search ended by itself, and no step that is known by name only leads there.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracer.claims.model import Evidence, Judged, Predicate, Search, Verdict
from tracer.claims.presence import SHOWN
from tracer.claims.select import Place, Places
from tracer.graph.edges import Edges, Link
from tracer.graph.hops import Hops
from tracer.graph.search import Search as Waves
from tracer.graph.world import Sym


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
    through = p.options.get("through") or ()
    passed = [set(places.world.functions(t)) for t in ([through] if isinstance(through, str) else through)]
    way = Waves(places.roles.uses.once(Edges).once(Hops)).along([set(sources), *passed, set(goals)])
    if way is None or way.missing >= 0:
        limit, opened = (way.limit, way.opened) if way is not None else (False, 0)
        search = Search("a way between the two", "all edges", opened)
        why = f"no way among {opened} functions{' (the limit of a search)' if limit else ''}"
        verdict: Verdict = "unknown" if limit else "fails" if wanted else "holds"
        return Judged(verdict, ends, (search,), "" if verdict == "holds" else why)
    steps = _steps(places, way.links)
    shown = (*_held(places, "from", found["from"], way.start), *steps, *_held(places, "to", found["to"], way.end))
    if any(link.basis == "by_name" for link in way.links):
        return Judged("unknown", shown, (), "the only way found has a step that is known by name alone")
    nodes = [way.start, *(link.target for link in way.links)]
    why = "" if wanted else " → ".join(places.world.symbol(s) for s in nodes if isinstance(s, Sym))
    return Judged("holds" if wanted else "fails", shown, (), why)


def _functions(places: Places, found: tuple[Place, ...]) -> list[Sym]:
    """The functions that hold the places (of a closure: the closure itself)."""
    held = {Sym(p.file, places.world.function_of(p.file, p.scope)) for p in found if p.file >= 0}
    return sorted(s for s in held if s.index >= 0)


def _steps(places: Places, links: Sequence[Link]) -> tuple[Evidence, ...]:
    out = []
    for link in links:
        assert isinstance(link.target, Sym)
        place = places.place(places.world.path(link.file), link.line)
        part = f"step: {link.kind} to {places.world.symbol(link.target)}"
        source = places.world.symbol(link.source)
        out.append(places.lines(part, place.path, place.first, place.last, source, link.basis))
    return tuple(out)


def _held(places: Places, part: str, found: tuple[Place, ...], sym: Sym) -> tuple[Evidence, ...]:
    """Those of the places that the function at this end of the way holds."""
    world = places.world
    return places.evidence(part, [p for p in found if Sym(p.file, world.function_of(p.file, p.scope)) == sym])
