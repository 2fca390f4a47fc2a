"""`pairs` and `order` as text, Markdown and documents. Takes their results; gives lines and dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tracer.along import Passed
from tracer.model import EngineRevision, Gap, Path
from tracer.pairs.again import Giver
from tracer.pairs.balance import Holder, Leaving
from tracer.pairs.order import Order
from tracer.render.grouping import folded, local_symbol, revision_text, short_symbol, version_text
from tracer.render.json import head
from tracer.render.markdown import code, prose
from tracer.render.text import Line, Table

_STYLE = {"released": "green", "handed_over": "cyan", "missing": "bold red"}
_SAID = {"released": "released", "handed_over": "handed over", "missing": "missing"}
_ASSUMED = " (assumed)"  # a hand-over to somebody who was not seen to release
_DOES = {"acquire": "acquires", "held": "is entered holding", "drop": "forgets the record of"}
_SHOWN = 12  # lines of a path


def document(
    engine: EngineRevision, holders: Sequence[Holder], gaps: Sequence[Gap], given: Sequence[Giver] = ()
) -> dict[str, Any]:
    """The machine-readable contract of `pairs`."""
    return head("pairs", [engine]) | {
        "counts": tally(holders),
        "functions": [
            {
                "rule": h.rule,
                "symbol": h.symbol,
                "file": h.file,
                "def_line": h.def_line,
                "does": h.does,
                "via": list(h.via),
                "exits": [_exit(e) for e in h.exits],
            }
            for h in holders
        ],
        "releases": releases(given),
        "gaps": [{"rule": g.what, "why": g.why} for g in gaps],
    }


def _exit(e: Leaving) -> dict[str, Any]:
    found: dict[str, Any] = {"line": e.line, "kind": e.kind, "verdict": e.verdict, "since": e.since}
    found["by"] = {"file": e.by[0], "line": e.by[1]} if e.by else None
    more = {"owner": e.owner, "basis": e.basis, "path": list(e.path)}
    return found | {key: value for key, value in more.items() if value}


def tally(holders: Sequence[Holder]) -> dict[str, int]:
    """How many functions, and how many exits by verdict."""
    counts = Counter(e.verdict for h in holders for e in h.exits)
    assumed = sum(e.assumed for h in holders for e in h.exits)
    return {"functions": len(holders), **{verdict: counts[verdict] for verdict in _SAID}, "assumed": assumed}  # type: ignore[index]


def text(engine: EngineRevision, holders: Sequence[Holder], gaps: Sequence[Gap], *, every: bool) -> Iterator[Line]:
    """Per rule the functions with an exit that misses a release (`every`: all functions and exits), then the counts."""
    yield ((f"{engine.name} {version_text(engine.version)}", "bold"), (f"  ({revision_text(engine)})", "dim"))
    for rule, group in groupby(holders, key=lambda h: h.rule):
        found = list(group)
        yield ((f"  {rule}", "bold cyan"), (f"  {counts_text(found)}", "dim"))
        for holder in found:
            if every or holder.missing:
                yield from _holder(holder, every)
    yield ((f"{counts_text(holders)}", "bold"),)
    for gap in folded(gaps):
        yield ((f"gap {gap.what}", "red"), (f": {gap.why}", ""))


def _holder(holder: Holder, every: bool) -> Iterator[Line]:
    via = f"  via {' → '.join(map(short_symbol, holder.via))}" if holder.via else ""
    place = f"    {holder.file}:{holder.def_line}"
    symbol = local_symbol(holder.symbol, holder.file)
    yield ((place, "green"), (f"  {symbol}", ""), (f"  {_DOES[holder.does]} it", ""), (via, "dim"))
    for e in holder.exits:
        if every or e.verdict == "missing":
            style = "yellow" if e.assumed else _STYLE[e.verdict]
            yield ((f"      {e.line}  {e.kind}  ", ""), (_said(e), style), (_why(e), ""))


def _said(e: Leaving) -> str:
    return _SAID[e.verdict] + (_ASSUMED if e.assumed else "")


def _why(e: Leaving) -> str:
    if e.verdict == "missing":
        return f"  since {e.since}, by {' → '.join(map(str, _short(e.path)))}" if e.path else f"  since {e.since}"
    to = f" to {e.owner}" if e.owner else ""
    return f"{to}  by {e.by[0]}:{e.by[1]}" if e.by else to


def _short(path: Sequence[int]) -> list[int | str]:
    if len(path) <= _SHOWN:
        return list(path)
    return [*path[:3], "…", *path[3 - _SHOWN :]]


def releases(given: Sequence[Giver]) -> list[dict[str, Any]]:
    """Who gives back, as the document of `pairs` has it; `twice`: two lines on one path that name the same."""
    return [
        {
            "rule": g.rule,
            "symbol": g.symbol,
            "file": g.file,
            "def_line": g.def_line,
            "lines": list(g.lines),
            "twice": [{"line": first, "again": second, "what": what} for first, second, what in g.twice],
        }
        for g in given
    ]


def given_back(given: Sequence[Giver], *, every: bool) -> Iterator[Line]:
    """Functions that may give the same back twice (`every`: all that give back)."""
    for g in given:
        place = f"{g.file}:{g.def_line}"
        name = local_symbol(g.symbol, g.file)
        if every and g.lines:
            yield ((f"  {place}", "green"), (f"  {name}  gives back in {', '.join(map(str, g.lines))}", ""))
        for first, second, what in g.twice:
            said = f"  {name}  may give {what} back twice: {first}, then {second}"
            yield ((f"  {place}", "green"), (said, ""), (f"  ({g.rule})", "dim"))


def counts_text(holders: Sequence[Holder]) -> str:
    """`29 functions, exits: 26 released, 13 handed over (5 assumed), 1 missing`."""
    n = tally(holders)
    assumed = f" ({n['assumed']} assumed)" if n["assumed"] else ""
    parts = f"{n['released']} released, {n['handed_over']} handed over{assumed}, {n['missing']} missing"
    return f"{n['functions']} functions, exits: {parts}"


def markdown(engine: EngineRevision, holders: Sequence[Holder], gaps: Sequence[Gap], *, every: bool) -> Iterator[str]:
    """The same as a table per rule."""
    yield f"## {engine.name} {version_text(engine.version)} ({revision_text(engine)})"
    for rule, group in groupby(holders, key=lambda h: h.rule):
        found = list(group)
        yield f"\n### `{rule}`: {counts_text(found)}\n"
        rows = tuple(
            (f"{h.file}:{e.line}", e.kind, _said(e), code(short_symbol(h.symbol)), _why(e).strip())
            for h in found
            for e in h.exits
            if every or e.verdict == "missing"
        )
        if rows:
            yield from Table(("exit", "kind", "verdict", "function", "why"), rows).markdown()
    if gaps:
        yield "\nGaps:\n"
        yield from (f"- {code(gap.what)}: {prose(gap.why)}" for gap in folded(gaps))


# -- order -------------------------------------------------------------------------
def order_document(engine: EngineRevision, a: str, b: str, orders: Sequence[Order]) -> dict[str, Any]:
    """The machine-readable contract of `order`."""
    return head("order", [engine]) | {
        "a": a,
        "b": b,
        "functions": [
            {
                "symbol": o.symbol,
                "file": o.file,
                "def_line": o.def_line,
                "verdict": o.verdict,
                "a_lines": list(o.a),
                "b_lines": list(o.b),
                **({"path": list(o.path)} if o.path else {}),
            }
            for o in orders
        ],
    }


def order_text(engine: EngineRevision, a: str, b: str, orders: Sequence[Order]) -> Iterator[Line]:
    """One line a function, and the way that breaks the order."""
    yield ((f"{engine.name} {version_text(engine.version)}", "bold"), (f"  is {a} before {b}?", ""))
    for o in orders:
        style = {"always": "green", "sometimes": "yellow", "never": "bold red"}[o.verdict]
        symbol = local_symbol(o.symbol, o.file)
        yield ((f"  {o.file}:{o.def_line}", "green"), (f"  {symbol}  ", ""), (o.verdict, style))
        yield ((f"      {a}: {', '.join(map(str, o.a))}", "dim"), (f"  {b}: {', '.join(map(str, o.b))}", "dim"))
        if o.path:
            yield ((f"      a way without it: {' → '.join(map(str, _short(o.path)))}", "yellow"),)


def order_markdown(engine: EngineRevision, a: str, b: str, orders: Sequence[Order]) -> Iterator[str]:
    """The same as a table."""
    yield f"## {engine.name} {version_text(engine.version)}: is {code(a)} before {code(b)}?\n"
    rows = tuple(
        (f"{o.file}:{o.def_line}", code(short_symbol(o.symbol)), o.verdict, " → ".join(map(str, _short(o.path))))
        for o in orders
    )
    yield from Table(("function", "symbol", "verdict", "a way without it"), rows).markdown()


# -- order along a path ------------------------------------------------------------
def along_document(
    engines: Sequence[EngineRevision], a: str, b: str, way: Path, steps: Sequence[Passed]
) -> dict[str, Any]:
    """The machine-readable contract of `order --along`."""
    rows = [
        {
            "step": s.step,
            "symbol": s.symbol,
            "file": s.file,
            "def_line": s.def_line,
            "a_lines": list(s.a),
            "b_lines": list(s.b),
            **({"on_line": s.on} if s.on else {}),
            "a_so_far": s.so_far,
            **({"verdict": s.verdict} if s.verdict else {}),
        }
        for s in steps
    ]
    return head("order", engines) | {"a": a, "b": b, "along": way.name, "end": way.end, "steps": rows}


def along_text(a: str, b: str, way: Path, steps: Sequence[Passed]) -> Iterator[Line]:
    """One line a step that does A or B, with where A stands when the step goes on."""
    yield ((way.title, "bold"), (f"  ({way.name}): is {a} before {b}?", ""))
    for s in steps:
        yield ((f"  {s.step:2}. {s.file}:{s.def_line}", "green"), (f"  {local_symbol(s.symbol, s.file)}", ""))
        if s.b:
            style = {"always": "green", "sometimes": "yellow"}.get(s.verdict, "bold red")
            yield ((f"      {b}: {', '.join(map(str, s.b))}  A came before it: ", "dim"), (s.verdict, style))
        if s.a:
            on = f" when it goes on at {s.on}" if s.on else ""
            yield ((f"      {a}: {', '.join(map(str, s.a))}  done{on}: {s.so_far}", "dim"),)
    yield ((f"end: {way.end}", ""),)
