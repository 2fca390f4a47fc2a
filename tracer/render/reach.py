"""Entries of a site and relays of a completion, as text and as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tracer.model import EngineRevision, Path
from tracer.paths.drives import Driven
from tracer.paths.relay import Carrier, Hand
from tracer.render.json import head
from tracer.render.steps import CROSSING, as_json, read_from, short

EXITS = 6  # exits without a signal that are shown of one producer


def drives(found: Sequence[Driven], engines: Sequence[EngineRevision] = (), *, guards: bool = True) -> Iterator[str]:
    """Each site with its entries, nearest kind first; the way down from each, with the conditions where asked."""
    for d in found:
        line = f", line {d.site.from_line}" if d.site.from_line else ""
        yield f"{d.site.symbol}  {d.site.file}:{d.site.def_line}{line}"
        for guard in d.site.guards if guards else ():
            yield f"    under {guard}"
        for number, path in enumerate(d.entries, 1):
            yield from _entry(number, path, guards)
        more = " (the search's limit; more may follow)" if d.limit else ""
        yield f"{len(d.entries)} entries; {d.looked_at} functions looked at{more}"
    if engines:
        yield read_from(engines)


def _entry(number: int, path: Path, guards: bool) -> Iterator[str]:
    first = path.steps[0]
    started = f"  started at {first.from_file}:{first.from_line}" if first.edge else ""
    yield f"  {number}. {path.name}: {first.symbol}  {first.file}:{first.def_line}{started}"
    for s in path.steps[1:]:
        mark = "══" if s.edge in CROSSING else "──"
        yield f"       {mark} {s.edge} [{s.basis}] at {s.from_file}:{s.from_line} → {short(s.symbol)}"
        if guards:
            yield from (f"            under {guard}" for guard in s.guards)


def drives_json(engines: Iterable[EngineRevision], found: Sequence[Driven]) -> dict[str, Any]:
    """The document of `drives`: per function its entries, each with the steps of the `path` contract and guards."""
    return head("drives", engines) | {
        "sites": [
            {
                "symbol": d.site.symbol,
                "file": d.site.file,
                "def_line": d.site.def_line,
                "line": d.site.from_line,
                "guards": list(d.site.guards),
                "entries": [_entry_json(p) for p in d.entries],
                "looked_at": d.looked_at,
                "limit": d.limit,
            }
            for d in found
        ]
    }


def _entry_json(path: Path) -> dict[str, Any]:
    steps = as_json(path)["steps"]
    for row, s in zip(steps, path.steps, strict=True):
        row["guards"] = list(s.guards)
    return {"kind": path.name, "symbol": path.steps[0].symbol, "steps": steps}


def relay(found: Sequence[Carrier], engines: Sequence[EngineRevision] = ()) -> Iterator[str]:
    """Each carrier: who sends, who cannot be relied on to, who takes; and which carrier comes after it."""
    for c in found:
        yield c.name + (f"  ({c.holds})" if c.holds else "")
        for hand in c.producers:
            yield f"  sends   {_hand(hand)}"
            if hand.many:
                yield f"            many: {hand.many}"
            for line, kind, guards in hand.skips[:EXITS]:
                way = "the end of the function" if kind == "fall" else f"{kind} in line {line}"
                yield f"            none on {way}" + (f", {guards[-1]}" if guards else "")
            if len(hand.skips) > EXITS:
                yield f"            none on {len(hand.skips) - EXITS} more exits"
        yield from (f"  takes   {_hand(hand)}" for hand in c.consumers)
        yield from (f"  until   {file}:{line}  {short(symbol)}  {test}" for symbol, file, line, test in c.until)
        yield from (f"  then    {name}" for name in c.onward)
        yield f"  arrive  {arrivals(c)}"
        yield ""
    if engines:
        yield read_from(engines)


def arrivals(c: Carrier) -> str:
    """How many signals one request may give: by who sends, in which loops, and what the carrier does with repeats."""
    loops = sum(1 for h in c.producers if h.many)
    senders = f"{len(c.producers)} senders" if len(c.producers) > 1 else "1 sender"
    often = f"{loops} of them in a loop" if loops else "each once a run"
    return f"{'many' if loops or len(c.producers) > 1 else 'one'}: {senders}, {often}" + (
        f"; {c.holds.partition(': ')[2]}" if c.holds else ""
    )


def _hand(h: Hand) -> str:
    return f"{h.file}:{h.line}  {h.op}  {short(h.symbol)}  [{h.basis}]"


def relay_json(engines: Iterable[EngineRevision], found: Sequence[Carrier]) -> dict[str, Any]:
    """The document of `relay`: carriers with producers (their exits without a signal, their loops) and consumers."""
    return head("relay", engines) | {
        "carriers": [
            {
                "name": c.name,
                "holds": c.holds,
                "rules": list(c.rules),
                "producers": [_hand_json(h, sends=True) for h in c.producers],
                "consumers": [_hand_json(h, sends=False) for h in c.consumers],
                "until": [{"symbol": s, "file": f, "line": n, "test": test} for s, f, n, test in c.until],
                "onward": list(c.onward),
                "arrivals": arrivals(c),
            }
            for c in found
        ]
    }


def _hand_json(h: Hand, *, sends: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"symbol": h.symbol, "file": h.file, "line": h.line, "op": h.op, "basis": h.basis}
    if sends:
        row["skips"] = [{"line": line, "kind": kind, "guards": list(guards)} for line, kind, guards in h.skips]
        row["many"] = h.many
    return row


