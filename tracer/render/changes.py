"""`diff` as text, Markdown and a document: what changed, with the place and the evidence on either side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from tracer.diff.model import KINDS, SEVERITIES, Change, Difference, End
from tracer.evidence import Excerpt
from tracer.model import ROLES, EngineRevision
from tracer.render.excerpt import fenced, gutter
from tracer.render.grouping import lines_text, local_symbol, revision_text, version_text
from tracer.render.json import head
from tracer.render.markdown import cell, code, link, prose
from tracer.render.text import Line

Show = Callable[[str, End], Excerpt | None]  # ("before" | "after", end) → its lines
TITLES = {
    "breaking": "breaking: gone, refused or no longer true",
    "behaviour": "behaviour: added, gated or done differently",
    "place": "place only: moved or renamed, no change of behaviour",
}
_STYLE = {"breaking": "bold red", "behaviour": "bold yellow", "place": "dim"}
_SHOWN = 6  # conditions or statements of one side, in text
_WIDTH = 160


def document(found: Difference) -> dict[str, Any]:
    """The machine-readable contract of `diff`."""
    return head("diff", [found.before, found.after]) | {
        "counts": tally(found.changes),
        "compared": dict(found.compared),
        "ignored": dict(found.ignored),
        "changes": [_change(c) for c in found.changes],
        "gaps": [{"rule": g.what, "why": g.why, "side": side} for side, g in found.gaps],
    }


def _change(c: Change) -> dict[str, Any]:
    told: dict[str, Any] = {"what": c.what, "id": c.id, "kind": c.kind, "severity": c.severity}
    told |= {k: v for k, v in (("detail", c.detail), ("role", c.role), ("action", c.action), ("layer", c.layer)) if v}
    return told | {"before": _end(c.before), "after": _end(c.after)}


def _end(e: End | None) -> dict[str, Any] | None:
    if e is None:
        return None
    found: dict[str, Any] = {
        "symbol": e.symbol,
        "file": e.file,
        "def_line": e.def_line,
        "first": e.first,
        "last": e.last,
    }
    found |= {"digest": e.digest, "permalink": e.permalink}
    return found | ({"rule": e.rule} if e.rule else {}) | ({"text": list(e.text)} if e.text else {})


def tally(changes: Iterable[Change]) -> dict[str, int]:
    """How many changes of each severity, and of each kind."""
    changes = list(changes)
    severities, kinds = Counter(c.severity for c in changes), Counter(c.kind for c in changes)
    return {s: severities[s] for s in SEVERITIES} | {k: kinds[k] for k in sorted(kinds)}


def title(before: EngineRevision, after: EngineRevision) -> str:
    """The engine and both revisions."""
    old, new = version_text(before.version), version_text(after.version)
    return f"{before.name} {old} ({revision_text(before)}) → {new} ({revision_text(after)})"


def grouped(changes: Sequence[Change]) -> Iterator[tuple[str, list[Change]]]:
    """The changes by severity."""
    for severity, found in groupby(changes, key=lambda c: c.severity):
        yield severity, list(found)


def text(found: Difference, show: Show | None = None) -> Iterator[Line]:
    """By severity and kind each change, its two places, what was lost (-) and gained (+); then what was left out."""
    yield ((title(found.before, found.after), "bold"),)
    for line in by_role(found.changes):
        yield ((f"  {line}", ""),)
    for severity, changes in grouped(found.changes):
        yield ((f"{TITLES[severity]} ({len(changes)})", _STYLE[severity]),)
        for c in changes:
            yield from _entry(c, show)
    yield ((summary(found), "bold"),)
    yield ((left_out(found), "dim"),)
    for side, gap in found.gaps:
        yield ((f"gap {side} {gap.what}", "red"), (f": {gap.why}", ""))


def _entry(c: Change, show: Show | None) -> Iterator[Line]:
    about = " · ".join(p for p in (c.role, c.action, c.layer) if p) or c.what
    yield (
        (f"  {c.kind:8}", "cyan"),
        (f"{about}  ", ""),
        (c.id, "dim"),
        (f"  {c.detail}" if c.detail else "", "italic"),
    )
    for mark, side, end, style in (("-", "before", c.before, "red"), ("+", "after", c.after, "green")):
        if end is None:
            continue
        if end.file:
            yield (
                (f"    {mark} {end.file}:{lines_text(end.first, end.last)}", style),
                (f"  {local_symbol(end.symbol, end.file)}", ""),
            )
        for line in cut(end.text):
            yield ((f"        {mark} {line}", style),)
        if show and (lines := show(side, end)):
            for row in gutter(lines).split("\n"):
                yield ((f"        {row}", "dim"),)


def cut(lines: Sequence[str]) -> Iterator[str]:
    """The first of what an end says, each in one line of a width that fits."""
    for line in lines[:_SHOWN]:
        flat = " ".join(line.split())
        yield flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"
    if len(lines) > _SHOWN:
        yield f"… {len(lines) - _SHOWN} more"


def summary(found: Difference) -> str:
    """`3 breaking, 20 behaviour, 7 place`, and what was compared."""
    n = tally(found.changes)
    told = ", ".join(f"{n[s]} {s}" for s in SEVERITIES)
    c = found.compared
    return f"{told}; {c.get('before', 0)} places before, {c.get('after', 0)} after, {c.get('paired', 0)} paired"


def by_role(changes: Sequence[Change]) -> Iterator[str]:
    """`publish: 3 removed, 9 guard, 46 added`, for each role, then for claims, pairs and defaults."""
    groups: dict[str, Counter[str]] = {}
    for c in changes:
        groups.setdefault(c.role if c.role else f"{c.what}s", Counter())[c.kind] += 1
    for name in (*ROLES, *sorted(groups.keys() - {*ROLES})):
        if name in groups:
            told = (f"{groups[name][kind]} {kind}" for kind in KINDS if groups[name][kind])
            yield f"{name}: {', '.join(told)}" if name in ROLES else f"{name}: {sum(groups[name].values())}"


def left_out(found: Difference) -> str:
    """What is no change of behaviour, counted by reason."""
    return "left out: " + (", ".join(f"{n} {why}" for why, n in found.ignored.items() if n) or "nothing")


def markdown(found: Difference, show: Show | None = None) -> Iterator[str]:
    """The same with before and after side by side, and below a table the code of each change."""
    yield f"## {title(found.before, found.after)}"
    yield f"\n{summary(found)}"
    yield f"\n{left_out(found)}\n"
    yield from (f"- {line}" for line in by_role(found.changes))
    for severity, changes in grouped(found.changes):
        yield f"\n### {TITLES[severity]} ({len(changes)})\n"
        yield "| change | before | after |"
        yield "|---|---|---|"
        for c in changes:
            about = " · ".join(p for p in (c.role, c.action, c.layer) if p) or c.what
            told = f"**{c.kind}** {prose(c.detail)}<br>{about}<br>{code(c.id)}"
            yield f"| {told} | {_cell(c.before)} | {_cell(c.after)} |"
        if show:
            for c in changes:
                yield from _code(c, show)
    if found.gaps:
        yield "\nGaps:\n"
        yield from (f"- {side} {code(gap.what)}: {prose(gap.why)}" for side, gap in found.gaps)


def _cell(e: End | None) -> str:
    if e is None:
        return "—"
    place = (
        f"{link(f'{e.file}:{lines_text(e.first, e.last)}', e.permalink)} {code(local_symbol(e.symbol, e.file))}"
        if e.file
        else ""
    )
    return "<br>".join(filter(None, (place, *(cell(code(line)) for line in cut(e.text)))))


def _code(c: Change, show: Show) -> Iterator[str]:
    for side, end in (("before", c.before), ("after", c.after)):
        if end and (lines := show(side, end)):
            place = f"{code(f'{end.file}:{lines_text(end.first, end.last)}')} " if end.file else ""
            yield f"\n{side}: {place}{code(end.symbol)}\n\n{fenced(lines)}"
