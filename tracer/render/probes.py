"""What the probe found, as text: verdicts step by step, what was not seen and why, what the run covered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tracer.probe.confirm import Confirmed, Step, Way
    from tracer.probe.observed import Recall
    from tracer.probe.recording import Recording

_MARKS = {"seen": "✓", "not seen": "·", "contradicted": "✗"}


def confirmed(found: Confirmed, recording: Recording) -> Iterator[str]:
    """The lines of a confirmation."""
    for way in found.ways:
        yield from _way(way)
    if found.sites:
        seen = sum(s.verdict == "seen" for s in found.sites)
        yield f"sites: {seen} of {len(found.sites)} seen"
        for step in found.sites:
            said = step.said
            place = f"{said['symbol']}  {said['file']}:{said['first']}"
            yield f"  {_MARKS[step.verdict]} {place}  {_times(step)}"
    runs = ", ".join(f"{r.get('scenario') or 'a program'} ({_engines(r)})" for r in recording.runs)
    processes = f"{recording.processes} process{'es' if recording.processes != 1 else ''}"
    yield f"run: {runs or 'unknown'}; {processes}, {found.functions} functions entered"
    for gap in sorted(set(recording.gaps)):
        yield f"  not recorded: {gap}"
    yield "not seen is not dead: only what these runs did is shown"


def _engines(run: dict[str, object]) -> str:
    engines = run.get("engines")
    return ", ".join(f"{e['name']} {e['version']}" for e in engines) if isinstance(engines, list) else ""


def _way(way: Way) -> Iterator[str]:
    total = len(way.steps)
    seen, against = way.count("seen"), way.count("contradicted")
    yield f"{way.title}  ({way.name})"
    yield f"  {seen} of {total} steps seen ({100 * seen / total:.0f} %), {against} contradicted"
    if way.end != "complete":
        yield f"  the traced path itself stops: {way.end}"
    for number, step in enumerate(way.steps, 1):
        said = step.said
        place = f"{said['symbol']}  {said['file']}:{said['def_line']}"
        yield f"  {_MARKS[step.verdict]} {number:2}. {place}  {_times(step)}"


def _times(step: Step) -> str:
    if step.seen is None or step.verdict == "not seen":
        return f"{step.verdict}: {step.why}"
    seen = step.seen
    more = [f"{seen.count}×"]
    if seen.times:
        more.append(f"first at {(seen.first - step.start) / 1e6:.1f} ms")
    if len(seen.threads) > 1:
        more.append(f"{len(seen.threads)} threads")
    if len(seen.processes) > 1:
        more.append(f"{len(seen.processes)} processes")
    more += sorted(f"by {h}" for h in seen.how if h)
    if step.edge:
        more.append(f"step {step.edge}")
    return "; ".join([f"{step.verdict} {more[0]}", *more[1:], *([step.why] if step.why else [])])


def recalled(found: Recall, most: int = 10) -> Iterator[str]:
    """The lines of a recall: per kind, then the reasons that are most frequent with an example of each."""
    share = 100 * found.found / found.seen if found.seen else 0.0
    yield f"{found.found} of {found.seen} recorded edges are in the graph ({share:.1f} %)"
    yield f"  {found.fan_out:.1f} candidates a caller"
    for kind, (have, seen) in found.by_kind.items():
        yield f"  {kind:10} {have:5} of {seen:5}  {100 * have / seen:.1f} %"
    if found.missed:
        yield "missed, by reason:"
    for why, count in found.reasons[:most]:
        yield f"  {count:5}  {why}"
        for o in [o for o, w in found.missed if w == why][:3]:
            yield f"           {o.caller} → {o.callee}  {o.file}:{o.line} [{o.kind}]"
