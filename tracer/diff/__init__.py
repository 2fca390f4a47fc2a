"""What differs between two versions of an engine: places of its roles, who runs them, rules, paths, claims, pairs.

Takes two specs, `ENGINE@VERSION` or a folder that the engine's target fits; makes a `Difference`. Code that was moved,
laid out or commented differently is no change of behaviour: it is counted and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tracer import stages
from tracer.checkout import folder_tree, open_tree
from tracer.diff import standing, verdicts
from tracer.diff.compare import Comparison
from tracer.diff.model import KINDS, SEVERITIES, Change, Difference, Severity
from tracer.diff.places import Side, end_of, tail
from tracer.diff.subject import Subject
from tracer.errors import UsageError
from tracer.model import Gap, Site
from tracer.rules import rules_for
from tracer.survey import Progress, processes, survey
from tracer.targets import parse_spec
from tracer.workers import beside

if TYPE_CHECKING:
    from tracer.diff.reach import Runs
    from tracer.model import Path as Way

PARTS = ("sites", "callers", "paths", "claims", "pairs", "defaults")
__all__ = ["PARTS", "Difference", "Subject", "diff", "failing", "subjects"]


def subjects(before: str, after: str, *, progress: Progress | None = None) -> tuple[Subject, Subject]:
    """Both sides; a folder is read as the other side's engine, by the rules for the other side's version."""
    specs = (before, after)
    pinned = [None if _is_folder(s) else parse_spec(s) for s in specs]
    known = next((p for p in pinned if p), None)
    if known is None:
        raise UsageError("two folders have no engine", todo="name one side as ENGINE@VERSION")
    names = {p[0].name for p in pinned if p}
    if len(names) > 1:
        raise UsageError(f"{before} and {after} are two engines", todo="compare two versions of one")
    out = []
    for spec, pin in zip(specs, pinned, strict=True):
        target, version = pin or known
        tree = open_tree((target, version), progress=progress) if pin else folder_tree(spec, target, version.name)
        out.append(Subject(target, version, tree, progress))
    return out[0], out[1]


def _is_folder(spec: str) -> bool:
    return ("/" in spec or spec in (".", "..")) and Path(spec).is_dir()


def diff(
    a: Subject,
    b: Subject,
    *,
    role: str = "all",
    only: Sequence[str] = (),
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Difference:
    """The changes from `a` to `b`, in `role` or all of them; `only` takes of `PARTS`, without it all are compared.

    The same question about the same sources is answered from the cache.
    """
    for s in (a, b):
        s.progress = progress or s.progress
    question = ("diff", role, sorted(only), a.version.name, b.version.name)
    work = partial(_compared, a, b, role, only, tuple(rules))
    return stages.remembered(question, (a.revision, b.revision), rules, Difference, work)


def _compared(a: Subject, b: Subject, role: str, only: Sequence[str], extra: tuple[Path, ...]) -> Difference:
    for s in (a, b):  # with all cores for each
        survey(s.tree, s.store, s.progress)
    other = partial(_find, Subject(a.target, a.version, a.tree), role, only, extra)
    with beside(other) if processes() > 1 else nullcontext():
        _find(b, role, only, extra)
    found = [s.where(role, extra) for s in (a, b)]
    sides = [s.side(role, extra, t) for s, t in zip((a, b), found, strict=True)]
    comparison = Comparison(*sides)
    places, unruled = standing.changed(comparison.changes(), a, b)
    changes = [*places, *_rules(b, sides, comparison, extra)] if _asked("sites", only) else []
    ignored = Counter(comparison.ignored) + Counter({standing.UNRULED: unruled})
    if _asked("callers", only):
        changes += _callers(a, b, sides, comparison, role, extra)
    if _asked("paths", only):
        more, same = _paths(a, b, comparison, role, extra)
        changes += more
        ignored["paths that take the same way"] = same
    for part, ask in verdicts.PARTS.items():
        if _asked(part, only):
            more, same = ask(a, b, sides, role, extra)
            changes += more
            ignored[f"{part} with the same outcome"] = same
    for s in (a, b):
        s.keep_links()
    gaps = tuple((side, g) for side, t in zip(("before", "after"), found, strict=True) for g in t.gaps if _open(g))
    return Difference(
        a.revision,
        b.revision,
        tuple(sorted(changes, key=_order)),
        comparison.compared(),
        dict(sorted(ignored.items())),
        gaps,
    )


def _find(s: Subject, role: str, only: Sequence[str], rules: tuple[Path, ...]) -> None:
    """Find what is asked of one side, and keep it."""
    side = s.side(role, rules, s.where(role, rules))
    if _asked("callers", only):
        _runs(s, side, role, rules)
    if _asked("paths", only):
        _ways(s, role, rules)
    for part, find in verdicts.OF_ONE.items():
        if _asked(part, only):
            find(s, role, rules)
    s.keep_links()


def _callers(
    a: Subject, b: Subject, sides: Sequence[Side], comparison: Comparison, role: str, rules: tuple[Path, ...]
) -> Iterator[Change]:
    from tracer.diff import reach

    return reach.changes(comparison, *(_runs(s, side, role, rules) for s, side in zip((a, b), sides, strict=True)))


def _runs(s: Subject, side: Side, role: str, rules: tuple[Path, ...]) -> Runs:
    from tracer.diff import reach

    return s.kept("callers", role, rules, reach.Runs, lambda: reach.runs_of(s.hops, side, s.target.name))


def _paths(
    a: Subject, b: Subject, comparison: Comparison, role: str, rules: tuple[Path, ...]
) -> tuple[list[Change], int]:
    from tracer.diff import ways

    before, after = (_ways(s, role, rules) for s in (a, b))
    pairs = (*comparison.pairs, *((h.before, h.after) for h in comparison.heirs))
    return ways.changes(before, after, {tail(x.symbol, 2): tail(y.symbol, 2) for x, y in pairs})


def _ways(s: Subject, role: str, rules: tuple[Path, ...]) -> dict[str, Way]:
    from tracer.diff import ways

    def sites(wanted: str) -> list[tuple[str, Site]]:
        return [(s.target.name, site) for site in s.where(wanted, rules).sites if not site.context]

    return s.kept("ways", role, rules, ways.Ways, lambda: ways.ways_of(s, ways.asked(role, rules), sites))


def _asked(part: str, only: Sequence[str]) -> bool:
    return not only or part in only


def _open(gap: Gap) -> bool:
    return "/" not in gap.what


def _rules(b: Subject, sides: Sequence[Side], comparison: Comparison, extra: Sequence[Path]) -> Iterator[Change]:
    """Rules that found something before and find nothing now."""
    was, now = ({s.rule for s in side.sites} for side in sides)
    first: dict[str, Site] = {}
    for site in sorted(sides[0].sites, key=lambda s: (s.file, s.first)):
        first.setdefault(site.rule, site)
    applies = {r.id for r in rules_for(b.target.name, b.version.name, tuple(extra))}
    heirs: dict[str, set[str]] = {}
    for rule, other in comparison.partners:
        heirs.setdefault(rule, set()).add(other)
    for rule in sorted(was - now):
        others = sorted(heirs.get(rule, ()))
        why = "matches nothing any more" if rule in applies else f"is not asked of {b.revision.version}"
        detail = f"rule {why}" + (f"; {', '.join(others)} finds its place now" if others else "")
        site = first[rule]
        severity: Severity = "behaviour" if others or rule not in applies else "breaking"
        yield Change("rule", rule, "removed", severity, end_of(site), None, detail, site.role, site.action, site.layer)


def _order(c: Change) -> tuple[int, int, str, str, str, str, int, str, int, str]:
    end = c.after or c.before
    other = c.before or c.after
    assert end is not None
    assert other is not None
    return (
        SEVERITIES.index(c.severity),
        KINDS.index(c.kind),
        c.role,
        c.id,
        end.symbol,
        end.file,
        end.first,
        other.symbol,
        other.first,
        c.detail,
    )


def failing(changes: Iterable[Change], least: str) -> bool:
    """Whether some change counts for `least`: breaking, or any change of behaviour."""
    return any(c.severity == "breaking" or (least == "any" and c.severity == "behaviour") for c in changes)
