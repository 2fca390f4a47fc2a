"""The named paths of an engine, followed in two versions: hops that are new or lost, crossings of another kind.

Takes what `paths.Paths` finds for each route that holds for one engine alone; compares by the functions on the way,
renamed ones counting as the same. A path that ended and now stops is breaking.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tracer.diff.model import Change, End, Severity
from tracer.diff.places import tail
from tracer.diff.subject import Subject
from tracer.model import Path as Way
from tracer.model import Step
from tracer.paths.follow import Paths
from tracer.paths.routes import Route, routes
from tracer.paths.stations import Sites

Ways = dict[str, Way]  # by name and stack
CALLS = ("", "call", "dynamic")
SHOWN = 16


def asked(role: str, rules: Sequence[object] = ()) -> list[Route]:
    """The routes of one engine alone; with a role, those that pass a place of it."""
    every = [r for r in routes(tuple(rules)) if len(r.engines) == 1]  # type: ignore[arg-type]
    return [r for r in every if role == "all" or any(_about(s.role, s.rule, role) for s in r.way)]


def _about(named: str, rules: Iterable[str], role: str) -> bool:
    return named == role or any(r.split(".")[1] == role for r in rules)


def ways_of(subject: Subject, wanted: Sequence[Route], sites: Sites) -> Ways:
    """Each route that holds for this version, followed: by its name and stack."""
    finder = Paths(subject.hops, sites)
    versions = {subject.target.name: subject.version.name}
    out: Ways = {}
    for route in wanted:
        name = f"{route.name} ({route.stack})" if route.stack else route.name
        if route.engines[0] == subject.target.name and route.fits(versions) and name not in out:
            out[name] = finder.along(route)[0]
    return out


def changes(
    before: Mapping[str, Way], after: Mapping[str, Way], names: Mapping[tuple[str, ...], tuple[str, ...]]
) -> tuple[list[Change], int]:
    """Paths that take another way; how many take the same. `names`: functions that were renamed."""
    found: list[Change] = []
    same = 0
    for name in sorted(before.keys() & after.keys()):
        change = _compare(name, before[name], after[name], names)
        found += [change] if change else []
        same += change is None
    return found, same


def _compare(name: str, x: Way, y: Way, names: Mapping[tuple[str, ...], tuple[str, ...]]) -> Change | None:
    old = {names.get(tail(s.symbol, 2), tail(s.symbol, 2)): s for s in x.steps}
    new = {tail(s.symbol, 2): s for s in y.steps}
    lost = [s for k, s in old.items() if k not in new]
    won = [s for k, s in new.items() if k not in old]
    crossed = [(old[k], new[k]) for k in new if k in old and _crossing(old[k]) != _crossing(new[k])]
    ended = (x.end == "complete") != (y.end == "complete")
    if not (lost or won or crossed or ended):
        return None
    texts = [
        [f"{side.end}" for _ in range(ended)] + [_told(s) for s in (*hops, *(pair[i] for pair in crossed))][:SHOWN]
        for i, (side, hops) in enumerate(((x, lost), (y, won)))
    ]
    parts = (
        (ended, f"{_end(x)} → {_end(y)}"),
        (lost, f"{len(lost)} hops lost"),
        (won, f"{len(won)} new"),
        (crossed, f"{len(crossed)} reached by another crossing"),
    )
    detail = ", ".join(text for true, text in parts if true)
    severity: Severity = "breaking" if ended and x.end == "complete" else "behaviour"
    shown = crossed[0] if crossed else (lost[0] if lost else None, won[0] if won else None)
    ends = [_at(s or (w.steps[0] if w.steps else None), t) for s, w, t in zip(shown, (x, y), texts, strict=True)]
    return Change("path", y.name, "path", severity, ends[0], ends[1], f"path {name}: {detail}")


def _end(way: Way) -> str:
    return "complete" if way.end == "complete" else "stops"


def _crossing(s: Step) -> str:
    return "" if s.edge in CALLS else s.edge


def _told(s: Step) -> str:
    how = f"{s.edge} → " if s.edge else ""
    return f"{how}{'.'.join(tail(s.symbol, 2))} ({s.file}:{s.def_line})"


def _at(s: Step | None, text: Sequence[str]) -> End:
    if s is None:
        return End(text=tuple(text))
    return End(s.symbol, s.file, s.def_line, s.def_line, s.def_line, text=tuple(text))
