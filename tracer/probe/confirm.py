"""A trace set against a recording: each step and site seen, not seen in this run, or contradicted.

Not seen is not dead: a run shows what it did, never what cannot be. A step is contradicted where the run shows another
order, or another thread, than the trace claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tracer.errors import UsageError
from tracer.probe.recording import Recording, Seen

SEEN, NOT, AGAINST = "seen", "not seen", "contradicted"
SAME_THREAD = ("call", "dynamic")  # edges that stay in the thread of the caller
HANDED = ("thread", "task", "process")  # how a recording says that they did not
REACH = 2000  # functions looked at between two steps


@dataclass(frozen=True, slots=True)
class Step:
    """The verdict on one step; `edge` says how it was come to: seen, in order, as a return, not seen."""

    said: Mapping[str, Any]
    verdict: str
    why: str
    edge: str
    seen: Seen | None
    start: int = 0  # of the run that shows it, ns


@dataclass(frozen=True, slots=True)
class Way:
    """A path with the verdicts on its steps."""

    name: str
    title: str
    steps: tuple[Step, ...]
    end: str = "complete"  # where the traced path itself stops

    def count(self, verdict: str) -> int:
        """So many steps have this verdict."""
        return sum(s.verdict == verdict for s in self.steps)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """All verdicts, and what the run covered of what was asked."""

    ways: tuple[Way, ...]
    sites: tuple[Step, ...]
    functions: int  # of the engines, that were entered at all

    @property
    def steps(self) -> list[Step]:
        """Every verdict."""
        return [*(s for w in self.ways for s in w.steps), *self.sites]


def confirm(documents: Sequence[Mapping[str, Any]], recording: Recording) -> Confirmed:
    """The verdict on each step and site of saved `path` and `where` documents; `UsageError` for other versions."""
    for document in documents:
        _same_versions(document, recording.versions)
    ways = [_best(p, recording) for d in documents for p in d.get("paths", ())]
    sites = [_site(s, recording) for d in documents for s in d.get("sites", ())]
    if not ways and not sites:
        raise UsageError("the trace has neither paths nor sites", todo="save `tracer path … --format json`")
    return Confirmed(tuple(ways), tuple(sites), len(recording.entered))


def _same_versions(document: Mapping[str, Any], versions: Mapping[str, str]) -> None:
    for engine in document.get("engines", ()):
        ran = versions.get(engine["name"])
        if ran is not None and ran != engine["version"]:
            todo = f"trace {engine['name']}@{ran}, or record {engine['name']}@{engine['version']}"
            raise UsageError(f"the trace is of {engine['name']} {engine['version']}, the recording of {ran}", todo=todo)


# -- paths ------------------------------------------------------------------------------
def _best(path: Mapping[str, Any], recording: Recording) -> Way:
    """The path in the run that shows most of it, because order is only within a run; the rest from the other runs."""
    if not recording.parts:
        return _way(path, recording)
    ways = [_way(path, part) for part in recording.parts]
    best = max(ways, key=lambda w: (w.count(SEEN) - w.count(AGAINST), w.count(SEEN)))
    steps = []
    for number, step in enumerate(best.steps):
        others = [w.steps[number] for w in ways if w.steps[number].verdict == SEEN]
        elsewhere = step.verdict == NOT and others
        steps.append(replace(others[0], edge="in another run") if elsewhere else step)
    return replace(best, steps=tuple(steps))


def _way(path: Mapping[str, Any], recording: Recording) -> Way:
    steps: list[Step] = []
    now, before = 0, ""  # when the last step that was seen was taken, and which it was
    previous: Mapping[str, Any] | None = None
    for said in path["steps"]:
        seen = _seen(said["symbol"], recording)
        if seen is None:
            steps.append(Step(said, NOT, _why_not(said) + _instead(previous, said, recording), "", None))
            previous = said
            continue
        edge = _edge(previous, said, recording) if previous is not None else ""
        why = _other_thread(previous, said, edge, recording) if previous is not None else ""
        after = [t for t in seen.times if t >= now]
        returned = bool(before) and edge != "seen" and _runs_within(said["symbol"], before, recording)
        if returned:
            edge = "as a return"  # entered before, and running on when control comes back to it
        elif not why and before and not after:
            if seen.complete:
                why = f"order: it was entered only before {_short(before)}"
            else:
                edge = edge if edge == "seen" else "order not recorded"
        steps.append(Step(said, AGAINST if why else SEEN, why, edge, seen, recording.start))
        if not why:
            now, before = now if returned else min(after, default=now), said["symbol"]
        previous = said
    return Way(path["name"], path["title"], tuple(steps), path.get("end", "complete"))


def _seen(name: str, recording: Recording) -> Seen | None:
    """What is known of a function: that it was entered, or was running when the recording began."""
    seen = recording.entered.get(name)
    if seen is not None:
        return seen
    calls = [p for (caller, _), p in recording.passages.items() if caller == name]
    return Seen(count=1) if calls else None


def _edge(previous: Mapping[str, Any], said: Mapping[str, Any], recording: Recording) -> str:
    """How a step was come to from the one before it."""
    source, target = previous["symbol"], said["symbol"]
    if (source, target) in recording.passages:
        return "seen"
    if (target, source) in recording.passages and said.get("edge") not in HANDED:
        return "as a return"
    first, then = recording.entered.get(source), recording.entered.get(target)
    if said.get("edge") not in SAME_THREAD and first and then and first.times and then.last >= first.first:
        return "in order"
    if _runs_within(source, target, recording):
        return "through others"
    return "not seen"


def _other_thread(previous: Mapping[str, Any], said: Mapping[str, Any], edge: str, recording: Recording) -> str:
    """Why the run contradicts the thread of a step; "" if it does not."""
    source, target = previous["symbol"], said["symbol"]
    passage = recording.passages.get((source, target))
    first, then = recording.entered.get(source), recording.entered.get(target)
    kind = said.get("edge", "")
    if kind in SAME_THREAD:
        if passage and passage.kinds and passage.kinds <= set(HANDED):
            return f"thread: handed over ({', '.join(sorted(passage.kinds))}), not called"
        apart = first and then and first.threads and then.threads and not first.threads & then.threads
        if edge == "not seen" and apart:
            return f"thread: runs in {_names(then)}, the step before in {_names(first)}"
    handed = kind != "thread" or not passage or passage.kinds & set(HANDED)
    if not handed and first and then and then.threads <= first.threads:
        return "thread: called in the same thread, not handed over"
    return ""


def _names(seen: Seen | None) -> str:
    return ", ".join(sorted(t.rsplit(":", 1)[-1] for t in seen.threads)[:3]) if seen else ""


def _runs_within(outer: str, inner: str, recording: Recording) -> bool:
    """Whether `outer` was seen to call, over any number of functions, `inner`."""
    if outer in recording.within.get(inner, ()):
        return True
    callees: dict[str, list[str]] = {}
    for caller, callee in recording.passages:
        callees.setdefault(caller, []).append(callee)
    todo, known = [outer], {outer}
    while todo and len(known) < REACH:
        for callee in callees.get(todo.pop(), ()):
            if callee == inner:
                return True
            if callee not in known:
                known.add(callee)
                todo.append(callee)
    return False


def _why_not(said: Mapping[str, Any]) -> str:
    if not str(said["file"]).endswith((".py", ".pyi")):
        return "native code, and nothing that watches it ran"
    return "not entered in this run"


def _instead(previous: Mapping[str, Any] | None, said: Mapping[str, Any], recording: Recording) -> str:
    """Another function of that name that the step before did enter: the run took another implementation."""
    name = said["symbol"].rsplit(".", 1)[-1]
    source = previous["symbol"] if previous else ""
    took = sorted(b for a, b in recording.passages if a == source and b.rsplit(".", 1)[-1] == name)
    return f"; the step before entered {', '.join(map(_short, took))} instead" if took else ""


def _short(name: str) -> str:
    return ".".join(name.split(".")[-2:])


# -- sites ------------------------------------------------------------------------------
def _site(said: Mapping[str, Any], recording: Recording) -> Step:
    within = range(int(said["first"]), int(said["last"]) + 1)
    reached = [s for (name, line), s in recording.lines.items() if name == said["symbol"] and line in within]
    if reached:
        best = max(reached, key=lambda s: s.count)
        return Step(said, SEEN, "", "line reached", best, recording.start)
    calls = [p for (caller, _), p in recording.passages.items() if caller == said["symbol"] and p.lines & set(within)]
    seen = _seen(said["symbol"], recording)
    if calls and seen is not None:
        return Step(said, SEEN, "", "a call on the line seen", seen, recording.start)
    if seen is None:
        return Step(said, NOT, _why_not(said), "", None)
    watched = any(name == said["symbol"] for name, _ in recording.lines)
    why = (
        "its function was entered, the line was not reached"
        if watched
        else "its function was entered; lines were not watched"
    )
    return Step(said, NOT, why, "", seen)


# -- as data ----------------------------------------------------------------------------
def as_json(found: Confirmed, recording: Recording) -> dict[str, Any]:
    """The document of a confirmation, without its head."""
    return {
        "recording": {
            "runs": [_run(r) for r in recording.runs],
            "processes": recording.processes,
            "functions_entered": found.functions,
            "gaps": sorted(set(recording.gaps)),
        },
        "paths": [
            {"name": w.name, "title": w.title, "end": w.end, **_counts(w.steps), "steps": [_step(s) for s in w.steps]}
            for w in found.ways
        ],
        "sites": [_step(s) for s in found.sites],
        "counts": _counts(found.steps),
    }


def _run(run: Mapping[str, Any]) -> dict[str, Any]:
    return {k: run[k] for k in ("scenario", "engines", "status", "seconds") if k in run}


def _counts(steps: Iterable[Step]) -> dict[str, int]:
    found = [s.verdict for s in steps]
    return {
        "steps": len(found),
        "seen": found.count(SEEN),
        "not_seen": found.count(NOT),
        "contradicted": found.count(AGAINST),
    }


def _step(step: Step) -> dict[str, Any]:
    keys = (
        "symbol",
        "file",
        "def_line",
        "first",
        "last",
        "role",
        "action",
        "rule",
        "edge",
        "from_file",
        "from_line",
        "engine",
        "waypoint",
    )
    out: dict[str, Any] = {k: step.said[k] for k in keys if k in step.said}
    out |= {"verdict": step.verdict, "why": step.why, "passage": step.edge}
    if step.seen is not None:
        seen = step.seen
        out |= {
            "count": seen.count,
            "threads": len(seen.threads),
            "processes": len(seen.processes),
            "first_ms": round((seen.first - step.start) / 1e6, 3) if seen.times else None,
        }
        if seen.how - {""}:
            out["seen_by"] = sorted(seen.how - {""})
    return out
