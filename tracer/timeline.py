"""One role through the versions of an engine: where each place of it lies in every version, and when it changed.

Takes the pinned versions that are in the cache, oldest first; compares each with the next as `diff` does, and strings
the pairs together. A version that is not in the cache is left out and said to be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracer.checkout import open_tree
from tracer.checkout.store import stored
from tracer.diff.compare import MORE, Comparison
from tracer.diff.model import KINDS, Change
from tracer.diff.places import Key, Place, Side
from tracer.diff.subject import Subject
from tracer.errors import SourceUnavailableError, UsageError
from tracer.model import ACTIONS, LAYERS, ROLES, EngineRevision, Gap
from tracer.survey import Progress
from tracer.targets import Target, Version, target, version_of


@dataclass(frozen=True, slots=True)
class Stop:
    """A place in one version: what changed since the version before ("added" where it is new), how many statements."""

    version: str
    symbol: str
    file: str
    first: int
    last: int
    statements: int
    kinds: tuple[str, ...] = ()


@dataclass(slots=True)
class Line:
    """One place through the versions that have it, oldest first."""

    role: str
    action: str
    layer: str
    stops: list[Stop] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The versions that were compared, the lines of the role, and per step how many changes of each kind."""

    role: str
    engines: tuple[EngineRevision, ...]
    lines: tuple[Line, ...]
    steps: tuple[dict[str, int], ...]  # steps[i]: from version i to i + 1
    gaps: tuple[Gap, ...] = ()


def timeline(
    role: str,
    engine: str,
    *,
    since: str = "",
    until: str = "",
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Timeline:
    """The places of `role` ("all") from version `since` to `until` of `engine`; without them, in every version here."""
    home = target(engine)
    chosen = _between(home, since, until)
    here = [v for v in chosen if stored(home, v)]
    gaps = [Gap(f"{home.name}@{v.name}", f"not in the cache — run `tracer fetch {home.name}@{v.name}`") for v in chosen]
    gaps = [g for g, v in zip(gaps, chosen, strict=True) if v not in here]
    if not here:
        todo = f"run `tracer fetch {home.name}`"
        raise SourceUnavailableError("none of these versions is in the cache", where=home.name, todo=todo)
    engines: list[EngineRevision] = []
    lines: list[Line] = []
    steps: list[dict[str, int]] = []
    before: Side | None = None
    open_lines: dict[Key, Line] = {}
    for version in here:
        tree = open_tree((home, version), progress=progress)
        subject = Subject(home, version, tree, progress)
        found = subject.where(role, tuple(rules))
        side = subject.side(role, tuple(rules), found)
        engines.append(found.engines[0])
        links: dict[Key, Key] = {}
        changed: dict[Key, set[str]] = defaultdict(set)
        if before is not None:
            links, changed, counts = _step(Comparison(before, side))
            steps.append(counts)
        open_lines = _grow(lines, open_lines, side, links, changed if before else None, version.name)
        before = side
    return Timeline(role, tuple(engines), tuple(sorted(lines, key=_order)), tuple(steps), tuple(gaps))


def _between(home: Target, since: str, until: str) -> list[Version]:
    """The pins from `since` to `until`, oldest first."""
    versions = list(reversed(home.versions))
    first = versions.index(version_of(home, since)) if since else 0
    last = versions.index(version_of(home, until)) if until else len(versions) - 1
    if first > last:
        raise UsageError(f"{since} is newer than {until}", todo="swap --from and --to")
    return versions[first : last + 1]


def _step(found: Comparison) -> tuple[dict[Key, Key], dict[Key, set[str]], dict[str, int]]:
    """What is which place after the step (by key), what changed about it, and how many changes there are."""
    links = {y.key: x.key for x, y in found.pairs}
    changes = list(found.changes())
    changed: dict[Key, set[str]] = defaultdict(set)
    taken = set(links.values())
    for c in changes:
        if c.after is None:
            continue
        key = (c.role, c.action, c.layer, c.after.symbol)
        changed[key].add("path" if c.detail == MORE else c.kind)
        if c.detail == "function" and c.before and key not in links:
            was = (*key[:3], c.before.symbol)
            if was not in taken:
                links[key] = was
                taken.add(was)
    return links, changed, _counts(changes)


def _counts(changes: Iterable[Change]) -> dict[str, int]:
    kinds = [c.kind for c in changes]
    return {k: kinds.count(k) for k in KINDS if k in kinds}


def _grow(
    lines: list[Line],
    open_lines: dict[Key, Line],
    side: Side,
    links: dict[Key, Key],
    changed: dict[Key, set[str]] | None,
    version: str,
) -> dict[Key, Line]:
    """Each place of `side` goes on with the line that it is linked to, or begins one."""
    grown: dict[Key, Line] = {}
    for key, place in side.places.items():
        line = open_lines.get(links[key]) if key in links else None
        kinds = changed.get(key, set()) if changed is not None else set()
        if line is None:
            line = Line(*key[:3])
            lines.append(line)
            kinds = kinds | {"added"} if changed is not None else set()
        line.role, line.action, line.layer = key[:3]
        line.stops.append(_stop(place, version, kinds))
        grown[key] = line
    return grown


def _stop(place: Place, version: str, kinds: Iterable[str]) -> Stop:
    site = place.sites[0]
    ordered = tuple(sorted(kinds, key=lambda k: [*KINDS].index(k)))  # type: ignore[arg-type]
    return Stop(version, place.symbol, site.file, site.first, site.last, len(place.sites), ordered)


def _order(line: Line) -> tuple[int, int, int, str, str]:
    last = line.stops[-1]
    actions = ACTIONS[line.role]
    return (ROLES.index(line.role), LAYERS.index(line.layer), actions.index(line.action), last.symbol, last.version)
