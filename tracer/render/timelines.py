"""`timeline` as text, Markdown and a document. Takes a timeline; gives lines and dictionaries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from tracer.render.grouping import local_symbol, revision_text, short_symbol, version_text
from tracer.render.json import head
from tracer.render.markdown import code
from tracer.render.text import Line as Text
from tracer.render.text import Table
from tracer.timeline import Line, Stop, Timeline


def document(found: Timeline) -> dict[str, Any]:
    """The machine-readable form of `timeline`."""
    return head("timeline", found.engines) | {
        "role": found.role,
        "steps": [
            {"from": a.version, "to": b.version, "counts": counts}
            for a, b, counts in zip(found.engines, found.engines[1:], found.steps, strict=False)
        ],
        "lines": [
            {
                "role": line.role,
                "action": line.action,
                "layer": line.layer,
                "ended": ended(found, line),
                "stops": [_stop(s) for s in line.stops],
            }
            for line in found.lines
        ],
        "gaps": [{"rule": g.what, "why": g.why} for g in found.gaps],
    }


def _stop(s: Stop) -> dict[str, Any]:
    return {
        "version": s.version,
        "symbol": s.symbol,
        "file": s.file,
        "first": s.first,
        "last": s.last,
        "statements": s.statements,
        "kinds": list(s.kinds),
    }


def ended(found: Timeline, line: Line) -> str:
    """The first version that does not have this place any more, "" where the newest has it."""
    versions = [e.version for e in found.engines]
    at = versions.index(line.stops[-1].version) + 1
    return versions[at] if at < len(versions) else ""


def _title(found: Timeline) -> str:
    told = " → ".join(f"{version_text(e.version)} ({revision_text(e)})" for e in found.engines)
    return f"{found.engines[0].name} · {found.role}: {told}"


def _steps(found: Timeline) -> Iterator[str]:
    for a, b, counts in zip(found.engines, found.engines[1:], found.steps, strict=False):
        told = ", ".join(f"{n} {kind}" for kind, n in counts.items()) or "no change"
        yield f"{version_text(a.version)} → {version_text(b.version)}: {told}"


def text(found: Timeline) -> Iterator[Text]:
    """Each place with the versions that have it: `+` new, `=` as before, or what changed; `-` where it ends."""
    yield ((_title(found), "bold"),)
    for step in _steps(found):
        yield ((f"  {step}", ""),)
    for (role, layer, action), lines in groupby(found.lines, key=lambda n: (n.role, n.layer, n.action)):
        yield ((f"{role} · {layer} · {action}", "bold cyan"),)
        for line in lines:
            last = line.stops[-1]
            yield ((f"  {local_symbol(last.symbol, last.file)}", ""),)
            for number, s in enumerate(line.stops):
                symbol = f"  {short_symbol(s.symbol)}" if s.symbol != last.symbol else ""
                yield (
                    (f"    {version_text(s.version):14}", "dim"),
                    (f"{_mark(s, number):14} ", "yellow"),
                    (f"{s.file}:{s.first}", "green"),
                    (symbol, "dim"),
                )
            if end := ended(found, line):
                yield ((f"    {version_text(end):14}", "dim"), ("-", "red"))
    for gap in found.gaps:
        yield ((f"gap {gap.what}", "red"), (f": {gap.why}", ""))


def _mark(s: Stop, number: int) -> str:
    if "added" in s.kinds:
        return "+"
    return ", ".join(s.kinds) if s.kinds else ("=" if number else "·")


def markdown(found: Timeline) -> Iterator[str]:
    """The same with a column for each version."""
    yield f"## {_title(found)}\n"
    yield from (f"- {step}" for step in _steps(found))
    versions = [e.version for e in found.engines]
    for (role, layer, action), lines in groupby(found.lines, key=lambda n: (n.role, n.layer, n.action)):
        yield f"\n### {role} · {layer} · {action}\n"
        rows = []
        for line in lines:
            last = line.stops[-1]
            cells = {
                s.version: f"{_mark(s, n)} {s.file.rsplit('/', 1)[-1]}:{s.first}" for n, s in enumerate(line.stops)
            }
            rows.append((code(local_symbol(last.symbol, last.file)), *(cells.get(v, "") for v in versions)))
        yield from Table(("place", *map(version_text, versions)), tuple(rows)).markdown()
    if found.gaps:
        yield "\nGaps:\n"
        yield from (f"- {gap.what}: {gap.why}" for gap in found.gaps)
