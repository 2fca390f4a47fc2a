"""Which notes are for a step: by its way-points, its sites and the crossing that led to it; the narrowest wins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as Folder

from tracer.model import Path, Site, Step
from tracer.paths.routes import Route, Station, routes
from tracer.rules import Text, in_range
from tracer.walks.model import PARTS, Beat, Note, Selector


@dataclass(frozen=True, slots=True)
class Place:
    """What a step is to the notes."""

    step: Step
    path: str  # id
    name: str
    stations: tuple[Station, ...]
    sites: tuple[Site, ...]


def places(path: Path, sites: Sequence[Sequence[Site]], route: Route | None) -> list[Place]:
    """The steps of `path` with the way-points of `route`; `sites` are those in each step's function."""
    return [
        Place(step, path.name, route.name if route else "", tuple(_stations(route, step)), tuple(own))
        for step, own in zip(path.steps, sites, strict=True)
    ]


def route_of(path: Path, rules: Sequence[Folder] = ()) -> Route | None:
    """The named path that `path` follows; None for one from A to B."""
    return next((r for r in routes(rules) if r.id == path.name), None)


def _stations(route: Route | None, step: Step) -> Iterator[Station]:
    marks = f"; {step.mark}; "
    for station in route.way if route and step.mark else ():
        if f"; {station.what.en}; " in marks:
            yield station


def fits(selector: Selector, place: Place) -> bool:
    """Whether all that `selector` says is so of the step."""
    return (
        (not selector.engine or place.step.engine in selector.engine)
        and (not selector.paths or place.path in selector.paths or place.name in selector.paths)
        and (not selector.edge or place.step.edge in selector.edge)
        and (not selector.waypoint or any(_has(s, selector.waypoint) for s in place.stations))
        and (not selector.site or any(_has(s, selector.site) for s in place.sites))
    )


def _has(thing: Station | Site, wanted: Iterable[tuple[str, tuple[str, ...]]]) -> bool:
    for name, values in wanted:
        own = getattr(thing, name)
        have = (own,) if isinstance(own, str) else own
        if not any(v in values for v in have):
            return False
    return True


def notes_for(place: Place, notes: Sequence[Note], versions: Mapping[str, str]) -> list[Note]:
    """The notes for a step, the narrowest first."""
    found = []
    for number, note in enumerate(notes):
        wanted = dict(note.versions)
        engine = place.step.engine
        if engine in wanted and not in_range(wanted[engine], versions.get(engine, "")):
            continue
        weights = [s.weight for s in note.at if fits(s, place)]
        if weights:
            found.append((-max(weights), number, note))
    return [note for _, _, note in sorted(found, key=lambda f: f[:2])]


def part(found: Sequence[Note], name: str) -> tuple[Text, str]:
    """What the narrowest note that has this part says, and its id; nothing if none has."""
    return next(((n.parts[name], n.id) for n in found if name in n.parts), (Text(), ""))


def of_code(found: Sequence[Note]) -> list[Note]:
    """The notes that say something of the step itself, not only of the crossing that led to it."""
    return [n for n in found if any(p in n.parts for p in PARTS)]


def _weight(place: Place) -> int:
    if place.stations:
        return 6
    return 1 if place.step.edge in ("", "call", "dynamic") else 2


def _shared(whole: int, weights: Sequence[int]) -> list[int]:
    """`whole` seconds in shares of these weights; what rounding leaves over goes to the heaviest."""
    out = [whole * w // sum(weights) for w in weights]
    for n in sorted(range(len(weights)), key=lambda n: (-weights[n], n))[: whole - sum(out)]:
        out[n] += 1
    return out


def timing(beats: Sequence[Beat], steps: Sequence[Place]) -> tuple[list[int], list[tuple[str, ...]]]:
    """Seconds per step, and the beats that begin at each: the story told along the path, forwards only.

    A beat begins at the first step at or behind the last beginning that it is about; one that no step is about begins
    where the story stands. The seconds of what begins at a step are shared among the steps until the next beginning:
    a way-point gets the most, a crossing more than a plain call.
    """
    if not steps:
        return [], []
    begins: list[list[Beat]] = [[] for _ in steps]
    at = 0
    for beat in beats:
        at = next((k for k in range(at, len(steps)) if any(fits(s, steps[k]) for s in beat.at)), at)
        begins[at].append(beat)
    starts = [k for k, found in enumerate(begins) if found]
    seconds = [0] * len(steps)
    for k, following in zip(starts, [*starts[1:], len(steps)], strict=True):
        first = 0 if k == starts[0] else k
        weights = [_weight(s) for s in steps[first:following]]
        seconds[first:following] = _shared(sum(b.seconds for b in begins[k]), weights)
    return seconds, [tuple(b.id for b in found) for found in begins]
