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
        "releases": [
            {
                "version": e.version,
                "files": c.files,
                "fresh": c.fresh,
                **({"wrong": found.wrong[n]} if found.wrong else {}),
            }
            for n, (e, c) in enumerate(zip(found.engines, found.costs, strict=True))
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
    } | ({"text": s.text, "wrong": s.wrong} if s.text else {})


def ended(found: Timeline, line: Line) -> str:
    """The first version that does not have this place any more, "" where the newest has it."""
    versions = [e.version for e in found.engines]
    at = versions.index(line.stops[-1].version) + 1
    return versions[at] if at < len(versions) else ""


def title(found: Timeline) -> str:
    """The engine, what is asked, and the versions with their revisions."""
    told = " → ".join(f"{version_text(e.version)} ({revision_text(e)})" for e in found.engines)
    return f"{found.engines[0].name} · {found.role}: {told}"


def _steps(found: Timeline) -> Iterator[str]:
    """What changed with each step, runs of steps without a change as one."""
    steps = list(zip(found.engines, found.engines[1:], found.steps, strict=False))
    for told, run in groupby(steps, key=lambda step: _told(step[2])):
        steps = list(run)
        if told:
            yield from (f"{version_text(a.version)} → {version_text(b.version)}: {told}" for a, b, _ in steps)
        else:
            yield f"{version_text(steps[0][0].version)} → {version_text(steps[-1][1].version)}: no change"


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in counts.items())


def _wrong(found: Timeline) -> Iterator[str]:
    """How many exits miss a release, or claims fail, in each release."""
    if found.wrong:
        what = "exits that miss a release" if found.role.startswith("pairs ") else "claims that fail"
        told = ", ".join(f"{version_text(e.version)} {n}" for e, n in zip(found.engines, found.wrong, strict=True))
        yield f"{what}: {told}"


def cost(found: Timeline) -> str:
    """`35 releases: 24,000 files, 1,200 of them new by content, 1,200 surveyed; 310 s of work`."""
    files, fresh, surveyed = (sum(getattr(c, n) for c in found.costs) for n in ("files", "fresh", "surveyed"))
    told = f"{len(found.costs)} releases: {files:,} files, {fresh:,} of them ({_share(fresh, files)}) new by content"
    return f"{told}; {surveyed:,} surveyed now, {sum(c.seconds for c in found.costs):.0f} s of work"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def text(found: Timeline) -> Iterator[Text]:
    """Each place with the versions in which it is new (`+`), changed or gone (`-`); runs without a change as one."""
    yield ((title(found), "bold"),)
    for step in (*_steps(found), *_wrong(found)):
        yield ((f"  {step}", ""),)
    for (role, layer, action), lines in groupby(found.lines, key=lambda n: (n.role, n.layer, n.action)):
        yield ((" · ".join(p for p in (role, layer, action) if p), "bold cyan"),)
        for line in lines:
            last = line.stops[-1]
            if last.symbol:
                yield ((f"  {local_symbol(last.symbol, last.file)}", ""),)
            yield from _stops(line)
            if end := ended(found, line):
                yield ((f"    {version_text(end):14}", "dim"), ("-", "red"))
    for gap in found.gaps:
        yield ((f"gap {gap.what}", "red"), (f": {gap.why}", ""))
    yield ((cost(found), "dim"),)


def _stops(line: Line) -> Iterator[Text]:
    last = line.stops[-1]
    shown: list[tuple[Stop, str, int]] = []
    for number, s in enumerate(line.stops):
        mark = _mark(s, number)
        same = (
            mark == "=" and shown and shown[-1][1] == "=" and (s.file, s.text) == (shown[-1][0].file, shown[-1][0].text)
        )
        shown[-1:] = [*([] if same else shown[-1:]), (s, mark, shown[-1][2] + 1 if same else 1)]
    for s, mark, run in shown:
        symbol = f"  {short_symbol(s.symbol)}" if s.symbol != last.symbol else ""
        often = f" (×{run})" if run > 1 else ""
        yield (
            (f"    {version_text(s.version):14}", "dim"),
            (f"{mark + often:14} ", "yellow"),
            (f"{s.file}:{s.first}" if s.file else "", "green"),
            (f"  {s.text}" if s.text else "", "red" if s.wrong else ""),
            (symbol, "dim"),
        )


def _mark(s: Stop, number: int) -> str:
    if "added" in s.kinds:
        return "+"
    return ", ".join(s.kinds) if s.kinds else ("=" if number else "·")


def mermaid(found: Timeline) -> Iterator[str]:
    """A Mermaid timeline: the releases in which something changed, with how much of each kind."""
    yield "timeline"
    yield f"  title {found.engines[0].name} · {_plain(found.role)}"
    yield f"  {_plain(found.engines[0].version)} : {_size(found, 0)}"
    for number, (e, counts) in enumerate(zip(found.engines[1:], found.steps, strict=True), start=1):
        if counts or number == len(found.engines) - 1:
            told = " : ".join(f"{n} {kind}" for kind, n in counts.items()) or "no change"
            yield f"  {_plain(e.version)} : {told} : {_size(found, number)}"


def _size(found: Timeline, number: int) -> str:
    if found.wrong:
        return f"{found.wrong[number]} wrong"
    version = found.engines[number].version
    return f"{sum(1 for line in found.lines for s in line.stops if s.version == version)} places"


def _plain(text: str) -> str:
    """Text without the characters that mean something to Mermaid's timelines."""
    return "".join(c if c.isalnum() or c in "._- ·" else " " for c in text)


def markdown(found: Timeline) -> Iterator[str]:
    """The same with a column for each version."""
    yield f"## {title(found)}\n"
    yield from (f"- {step}" for step in (*_steps(found), *_wrong(found)))
    yield f"- {cost(found)}"
    versions = [e.version for e in found.engines]
    for (role, layer, action), lines in groupby(found.lines, key=lambda n: (n.role, n.layer, n.action)):
        yield f"\n### {' · '.join(p for p in (role, layer, action) if p)}\n"
        rows = []
        for line in lines:
            last = line.stops[-1]
            cells = {s.version: f"{_mark(s, n)} {s.text or _short(s)}" for n, s in enumerate(line.stops)}
            rows.append((code(local_symbol(last.symbol, last.file)), *(cells.get(v, "") for v in versions)))
        yield from Table(("place", *map(version_text, versions)), tuple(rows)).markdown()
    if found.gaps:
        yield "\nGaps:\n"
        yield from (f"- {gap.what}: {gap.why}" for gap in found.gaps)


def _short(s: Stop) -> str:
    return f"{s.file.rsplit('/', 1)[-1]}:{s.first}"
