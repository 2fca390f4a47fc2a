"""One role, claim or pair through the versions of an engine: where and what it is in each, and when it changed.

Takes what `sweep` brings from each version, oldest first. Of a role, the places of each version are compared with the
next one's as `diff` does, and the pairs strung together; of claims and pairs, the verdicts are. A version that could
not be asked is left out and said to be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracer.checkout.store import stored
from tracer.diff.compare import MORE, Comparison
from tracer.diff.model import KINDS, Change
from tracer.diff.places import Key, Place, Side, tail
from tracer.errors import SourceUnavailableError, UsageError
from tracer.model import ACTIONS, LAYERS, ROLES, EngineRevision, Gap
from tracer.survey import Progress
from tracer.sweep import Job, Outcome, Question, Verdict, sweep
from tracer.targets import Target, Version, target, version_of


@dataclass(frozen=True, slots=True)
class Stop:
    """A place in one version: what changed since the version before ("added" where it is new), how many statements.

    Of a claim or a pair `text` is the verdict and `wrong` says how bad it is: 1 for a failed claim, the exits that
    miss a release.
    """

    version: str
    symbol: str
    file: str
    first: int
    last: int
    statements: int
    kinds: tuple[str, ...] = ()
    text: str = ""
    wrong: int = 0


@dataclass(slots=True)
class Line:
    """One place through the versions that have it, oldest first; of a claim (pair) `action` is its id."""

    role: str
    action: str
    layer: str
    stops: list[Stop] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one version took: its files, those that no older version of this sweep has, those surveyed now; seconds."""

    files: int
    fresh: int
    surveyed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """The versions that were compared, the lines of what was asked, and per step how many changes of each kind."""

    role: str
    engines: tuple[EngineRevision, ...]
    lines: tuple[Line, ...]
    steps: tuple[dict[str, int], ...]  # steps[i]: from version i to i + 1
    gaps: tuple[Gap, ...] = ()
    costs: tuple[Cost, ...] = ()
    wrong: tuple[int, ...] = ()  # failed claims, or exits that miss a release, by version; of a role nothing


def timeline(
    what: str,
    engine: str,
    *,
    since: str = "",
    until: str = "",
    every: bool = False,
    clone: str = "",
    pre: bool = False,
    dask: str = "",
    workers: int = 0,
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Timeline:
    """`what` from version `since` to `until` of `engine`.

    `what` is a role ("all"), a claim's id or the beginning of several, a pair, or `pairs:WHAT` as `pairs` takes it.
    Without `every` the pins that are in the cache; with it the tags of `clone`, else every version on the index, each
    fetched where need be. `dask` is the address of a cluster to run on.
    """
    home = target(engine)
    question = question_of(what, home, rules)
    chosen = _between(_every(home, clone, pre) if every else list(reversed(home.versions)), home, since, until)
    here = chosen if every else [v for v in chosen if stored(home, v)]
    gaps = [
        Gap(f"{home.name}@{v.name}", f"not in the cache — run `tracer fetch {home.name}@{v.name}`")
        for v in chosen
        if v not in here
    ]
    if not here:
        todo = f"run `tracer fetch {home.name}`"
        raise SourceUnavailableError("none of these versions is in the cache", where=home.name, todo=todo)
    extra = tuple(str(r) for r in rules)
    jobs = [Job(home.name, v, question, clone, extra, every) for v in here]
    outcomes = sweep(jobs, dask=dask, workers=workers, progress=progress)
    gaps += [Gap(f"{home.name}@{o.version}", o.problem) for o in outcomes if o.problem]
    found = [o for o in outcomes if not o.problem]
    if not found:
        raise SourceUnavailableError(f"no version could be asked: {gaps[0].why}", where=home.name)
    shown = question.shown
    engines, costs = tuple(o.revision for o in found if o.revision), tuple(_costs(found))
    if question.kind == "role":
        lines, steps = _places(found)
        return Timeline(shown, engines, lines, steps, tuple(gaps), costs)
    lines, steps = _verdicts(found)
    wrong = tuple(sum(v.wrong for v in o.verdicts) for o in found)
    return Timeline(shown, engines, lines, steps, tuple(gaps), costs, wrong)


def question_of(what: str, home: Target, rules: Sequence[Path] = ()) -> Question:
    """What is meant by a role, a pair (`pairs:WHAT`) or a claim; `UsageError` with near names for none of them."""
    from tracer import questions
    from tracer.pairs.rules import pair_rules

    if what == "all" or what in ROLES:
        return Question("role", (what,), what)
    asked = what.removeprefix("pairs:")
    try:
        known = [r.rule.id for r in pair_rules(asked, home.name, home.versions[0].name, tuple(rules))]
    except UsageError:
        if asked != what:
            raise
        known = []
    if known or asked != what:
        return Question("pairs", (asked,), f"pairs {asked}")
    claims = questions.named(questions.content(home.name, tuple(rules)), [what])
    return Question("claims", tuple(claims), what)


def _every(home: Target, clone: str, pre: bool) -> list[Version]:
    from tracer.checkout.releases import releases

    return releases(home, clone, pre=pre)


def _between(versions: list[Version], home: Target, since: str, until: str) -> list[Version]:
    """The versions from `since` to `until`, oldest first."""
    first = _index(versions, home, since) if since else 0
    last = _index(versions, home, until) if until else len(versions) - 1
    if first > last:
        raise UsageError(f"{since} is newer than {until}", todo="swap --from and --to")
    return versions[first : last + 1]


def _index(versions: list[Version], home: Target, wanted: str) -> int:
    for number, v in enumerate(versions):
        if wanted.removeprefix("v") in (n.removeprefix("v") for n in (v.name, v.tag, v.package) if n):
            return number
    pin = version_of(home, wanted)
    if pin in versions:
        return versions.index(pin)
    raise UsageError(f"{wanted} is no release here", todo=f"the newest: {versions[-1].name}")


def _costs(found: Sequence[Outcome]) -> Iterable[Cost]:
    known: set[str] = set()
    for o in found:
        yield Cost(len(o.files), len(set(o.files) - known), o.surveyed, o.seconds)
        known.update(o.files)


def _places(found: Sequence[Outcome]) -> tuple[tuple[Line, ...], tuple[dict[str, int], ...]]:
    lines: list[Line] = []
    steps: list[dict[str, int]] = []
    before: Side | None = None
    open_lines: dict[Key, Line] = {}
    for o in found:
        side = o.side
        assert side is not None
        links: dict[Key, Key] = {}
        changed: dict[Key, set[str]] = defaultdict(set)
        if before is not None:
            links, changed, counts = _step(Comparison(before, side))
            steps.append(counts)
        open_lines = _grow(lines, open_lines, side, links, changed if before else None, o.version)
        before = side
    return tuple(sorted(lines, key=_order)), tuple(steps)


def _verdicts(found: Sequence[Outcome]) -> tuple[tuple[Line, ...], tuple[dict[str, int], ...]]:
    """A line for each claim, and for each function that a pair judges; functions are the same by class and name."""
    lines: dict[tuple[str, ...], Line] = {}
    steps: list[dict[str, int]] = []
    before: dict[tuple[str, ...], str] = {}
    for number, o in enumerate(found):
        now: dict[tuple[str, ...], str] = {}
        counts: dict[str, int] = {}
        for v in o.verdicts:
            key = (*v.group, *(tail(v.symbol, 2) if v.group[0] == "pairs" else ()))
            now[key] = v.text
            kind = "" if not number or before.get(key) == v.text else "claim" if key in before else "added"
            if kind:
                counts[kind] = counts.get(kind, 0) + 1
            line = lines.setdefault(key, Line(*v.group))
            line.stops.append(_verdict(v, o.version, (kind,) if kind else ()))
        gone = len(before.keys() - now.keys())
        if number:
            steps.append(counts | ({"removed": gone} if gone else {}))
        before = now
    return tuple(lines[k] for k in sorted(lines)), tuple(steps)


def _verdict(v: Verdict, version: str, kinds: tuple[str, ...]) -> Stop:
    return Stop(version, v.symbol, v.file, v.first, v.last, 1, kinds, v.text, v.wrong)


def _step(found: Comparison) -> tuple[dict[Key, Key], dict[Key, set[str]], dict[str, int]]:
    """What is which place after the step (by key), what changed about it, and how many changes there are."""
    links = {y.key: x.key for x, y in found.pairs}
    changes = list(found.changes())
    changed: dict[Key, set[str]] = defaultdict(set)
    taken = set(links.values())
    for x, y, _ in found.heirs:  # of several heirs the first goes on with the line, the others begin one
        if y.key not in links and x.key not in taken:
            links[y.key] = x.key
            taken.add(x.key)
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
