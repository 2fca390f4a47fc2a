"""Findings: what a check complains of, at one line of one file; the common form of `--format lines` and SARIF.

Takes the verdicts of `pairs` and `diff`, sites and uses; gives `Finding`s in their order. How they are written is
`lines` here (`file:line:col: severity: message`, which editors read) and `sarif.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tracer.model import SourceTree, Trace, Use, lines_of
from tracer.render.grouping import short_symbol, site_key
from tracer.visible import visible

if TYPE_CHECKING:
    from tracer.diff.model import Change, Difference, End
    from tracer.pairs.balance import Holder, Leaving

_LEVEL_OF = {"breaking": "error", "behaviour": "warning", "place": "note"}
_STEPS = 400  # of a way through a function; the turns at its ends say most
Column = Callable[[str, int], int]  # (file, line) → the column where the line's text begins


@dataclass(frozen=True, slots=True)
class Place:
    """A line or some lines of a file, with what there is to say of them."""

    file: str
    first: int
    last: int
    says: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint. `key` names it without any line number, so that it is the same after the file has grown."""

    rule: str
    level: str
    message: str
    place: Place
    symbol: str
    key: tuple[str, ...]
    related: tuple[Place, ...] = ()
    way: tuple[Place, ...] = ()  # the lines that lead there, first to last


def of_pairs(holders: Sequence[Holder]) -> list[Finding]:
    """Every exit that misses a release; where it was acquired is related, the lines between are the way."""
    return [_missing(h, e) for h in holders for e in h.exits if e.verdict == "missing"]


def _missing(h: Holder, e: Leaving) -> Finding:
    name = short_symbol(h.symbol)
    by = f" (by {' → '.join(map(short_symbol, h.via))})" if h.via else ""
    does = {"acquire": "acquired", "held": "held since", "drop": "recorded until"}.get(h.does, h.does)
    since = Place(h.file, e.since, e.since, f"{does} here{by}")
    steps = e.path if len(e.path) <= _STEPS else (*e.path[: _STEPS // 2], *e.path[-_STEPS // 2 :])
    return Finding(
        rule=h.rule,
        level="warning",
        message=f"{name} leaves by {e.kind} and nothing releases what was {does} on line {e.since}{by}",
        place=Place(h.file, e.line, e.line),
        symbol=h.symbol,
        key=(h.rule, h.symbol, e.kind),
        related=(since,),
        way=tuple(Place(h.file, line, line) for line in steps),
    )


def of_diff(found: Difference) -> list[Finding]:
    """Every change, at its place after; what is gone is shown where it was before, and says so."""
    return [_changed(c, found) for c in found.changes]


def _changed(c: Change, found: Difference) -> Finding:
    end = next((e for e in (c.after, c.before) if e and e.file), None) or c.after or c.before
    assert end is not None
    gone = end is c.before and bool(end.file)
    about = " · ".join(p for p in (c.role, c.action, c.layer) if p) or c.what
    was, now = (e.text if e else () for e in (c.before, c.after))
    parts = [f"{c.kind}: {about}", short_symbol(end.symbol), c.detail]
    parts += [f"was `{_flat(was)}`" if was else "", f"is `{_flat(now)}`" if now else ""]
    parts += [f"lines of {found.before.version}, which {found.after.version} has no more" if gone else ""]
    other = c.before if end is c.after else None
    return Finding(
        rule=f"diff.{c.kind}",
        level=_LEVEL_OF[c.severity],
        message="; ".join(filter(None, parts)),
        place=_place(end),
        symbol=end.symbol,
        key=(c.what, c.id, c.kind, c.detail, end.symbol, *now),
        related=(_place(other, f"in {found.before.version}"),) if other and other.file else (),
    )


def _flat(text: Sequence[str]) -> str:
    flat = " ".join(" ".join(text).split())
    return flat if len(flat) <= 160 else flat[:159] + "…"


def _place(end: End, says: str = "") -> Place:
    return Place(end.file, end.first, end.last, says)


def of_sites(traces: Iterable[Trace]) -> list[Finding]:
    """Every site, in the order in which `where` prints them."""
    return [
        Finding(
            rule=s.rule,
            level="note",
            message=f"{s.role} {s.action} ({s.layer}) in {short_symbol(s.symbol)} [{s.basis}]",
            place=Place(s.file, s.first, s.last),
            symbol=s.symbol,
            key=(s.rule, s.action, s.symbol),
        )
        for trace in traces
        for s in sorted(trace.sites, key=site_key)
    ]


def of_uses(found: Iterable[Use]) -> list[Finding]:
    """Every use."""
    return [
        Finding(u.op, "note", f"{u.op} in {short_symbol(u.symbol)} [{u.basis}]", Place(u.file, u.line, u.line),
                u.symbol, (u.op, u.symbol))
        for u in found
    ]  # fmt: skip


def lines(
    found: Iterable[Finding], trees: Sequence[SourceTree], *, more: bool = False, absolute: bool = False
) -> Iterator[str]:
    """`file:line:col: severity: message [rule]`; `more`: where it began as a note below, as compilers do.

    Names are the repository's; `absolute`: of the files as they lie on this machine, in the first tree that has them.
    What has no place, such as a claim without evidence, is told without one.
    """
    column, held = columns(trees), {f.path: tree for tree in reversed(trees) for f in tree.files()}

    def place(file: str, line: int) -> str:
        tree = held.get(file) if absolute else None
        name = tree.located(file).as_posix() if isinstance(tree, Located) else file
        return f"{name}:{line}:{column(file, line)}: "

    for f in found:
        at = place(f.place.file, f.place.first or 1) if f.place.file else ""
        yield visible(f"{at}{f.level}: {f.message} [{f.rule}]")
        for p in f.related if more else ():
            yield visible(f"{place(p.file, p.first)}note: {p.says} [{f.rule}]")


@runtime_checkable
class Located(Protocol):
    """A tree whose files lie on this machine."""

    def located(self, path: str) -> Path:
        """Where a file of the tree lies."""
        ...


def columns(trees: Sequence[SourceTree]) -> Column:
    """The column of each line's first character that is no blank, read from the first tree that has the file."""
    texts: dict[str, list[str]] = {}

    def column(file: str, line: int) -> int:
        if file not in texts:
            held = next((t for t in trees if any(f.path == file for f in t.files())), None)
            texts[file] = lines_of(held.read(file)) if held else []
        text = texts[file][line - 1] if 0 < line <= len(texts[file]) else ""
        return len(text) - len(text.lstrip()) + 1

    return column


def spans(way: Sequence[Place]) -> list[Place]:
    """A way without a line twice in a row."""
    return [*way[:1], *(b for a, b in pairwise(way) if a != b)]
