"""A recording as data: which functions and lines a run passed, when, where, from whom; its marks and gaps.

Takes a folder that `probe run` left; knows nothing of what was traced. A line that a crash cut off ends its file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracer.errors import UsageError

MOST_FILE = 4 << 30  # bytes of one process's file that are read


@dataclass(slots=True)
class Seen:
    """One function or line: how often, in which threads and processes, and when (ns of the machine's clock)."""

    count: int = 0
    threads: set[str] = field(default_factory=set)
    processes: set[str] = field(default_factory=set)
    times: list[int] = field(default_factory=list)
    every: bool = False  # whether entries were written one by one
    cut: bool = False  # whether that stopped at some number
    how: set[str] = field(default_factory=set)  # what saw it, where it was not the recorder

    @property
    def complete(self) -> bool:
        """Whether `times` has every entry."""
        return self.every and not self.cut

    @property
    def first(self) -> int:
        """When first."""
        return min(self.times, default=0)

    @property
    def last(self) -> int:
        """When last, as far as it is known."""
        return max(self.times, default=0)


@dataclass(slots=True)
class Passage:
    """A caller and callee that were seen, with the kinds and lines."""

    kinds: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    count: int = 0


@dataclass(slots=True)
class Recording:
    """Everything below one folder."""

    folder: Path
    entered: dict[str, Seen] = field(default_factory=dict)
    lines: dict[tuple[str, int], Seen] = field(default_factory=dict)  # (symbol, line)
    passages: dict[tuple[str, str], Passage] = field(default_factory=dict)
    within: dict[str, set[str]] = field(default_factory=dict)  # function → planned ones that ran below it
    marks: list[dict[str, Any]] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)  # run.json of each
    processes: int = 0
    edges: bool = False  # whether callers and callees were recorded everywhere
    parts: tuple[Recording, ...] = ()  # run by run, where there are several
    start: int = 0  # when anything was first seen, ns

    @property
    def versions(self) -> dict[str, str]:
        """Engine → version, of all runs."""
        return {e["name"]: e["version"] for run in self.runs for e in run.get("engines", ())}


def rows(folder: Path) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """(process, roots, row) of all files below `folder`; where phases are told, only what was seen in "run"."""
    files = sorted(folder.rglob("*.jsonl"))
    if not files:
        raise UsageError(f"no recording in {folder.name}", todo="record one first: `tracer probe run`")
    for file in files:
        roots: tuple[str, ...] = ()
        counts = True
        process = file.stem if file.parent == folder else f"{file.parent.name}/{file.stem}"
        with file.open("rb") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict):
                    yield process, roots, {"gap": f"{process} is cut off: what came after is not known"}
                    break
                if "roots" in row:
                    roots = tuple(str(r) for r in row["roots"])
                if "phase" in row:
                    counts = row["phase"] == "run"
                if counts or "gap" in row or "mark" in row:
                    yield process, roots, row


def symbol(name: str, roots: tuple[str, ...]) -> tuple[str, str]:
    """(path, symbol) of "file:qualname:line": relative to the folder that holds the package."""
    file, qualname, _ = name.rsplit(":", 2)
    for root in roots:
        if file.startswith(root):
            package = root.rstrip("/").rsplit("/", 1)[-1]
            file = f"{package}/{file[len(root) :]}"
            break
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = [p for p in qualname.split(".") if p != "<locals>"]
    while parts and parts[-1].startswith("<"):
        parts.pop()
    return file, ".".join([module, *parts])


def load(folder: Path) -> Recording:
    """The recording in `folder`; `UsageError` if there is none."""
    if not folder.is_dir():
        raise UsageError("is no folder", where=str(folder), todo="name what `tracer probe run --out` left")
    found = Recording(folder)
    for file in sorted(folder.rglob("run.json")):
        try:
            found.runs.append(json.loads(file.read_bytes()))
        except (OSError, ValueError):
            found.gaps.append(f"{file.parent.name}/{file.name} cannot be read")
    for place in sorted({f.parent for f in folder.rglob("*.jsonl")}):
        if not (place / "run.json").is_file():
            found.gaps.append(f"{place.name} has no run.json: its run has not ended, or was killed")
    known: dict[tuple[str, tuple[str, ...]], str] = {}

    def named(name: str, roots: tuple[str, ...]) -> str:
        key = (name, roots)
        if key not in known:
            known[key] = symbol(name, roots)[1]
        return known[key]

    processes = set()
    for process, roots, row in rows(folder):
        processes.add(process)
        try:
            _take(found, process, row, lambda name, roots=roots: named(name, roots))
        except (KeyError, TypeError, ValueError):
            found.gaps.append(f"a line of {process} is not understood")
    found.processes = len(processes)
    for seen in [*found.entered.values(), *found.lines.values()]:
        seen.count = max(seen.count, len(seen.times))
    found.start = min((s.first for s in found.entered.values() if s.times), default=0)
    folders = sorted({file.parent for file in folder.rglob("*.jsonl")})
    if len(folders) > 1:
        found.parts = tuple(load(f) for f in folders)
    return found


def _take(found: Recording, process: str, row: dict[str, Any], named: Any) -> None:
    if "edge" in row:
        found.edges = True
        caller, callee = named(row["edge"][0]), named(row["edge"][1])
        _passage(found, caller, callee, int(row["line"]), str(row["kind"]))
        planned = callee in found.entered and found.entered[callee].every  # its entries have rows of their own
        _enter(found.entered, callee, process, {k: v for k, v in row.items() if k != "t" or not planned})
    elif "count" in row:
        caller, callee = named(row["count"][0]), named(row["count"][1])
        passage = found.passages.setdefault((caller, callee), Passage())
        passage.count += int(row["n"])
        if callee in found.entered and not found.entered[callee].complete:
            found.entered[callee].count += int(row["n"])
    elif "hit" in row:
        name, line = named(row["hit"]), int(row["line"])
        if line:
            _enter(found.lines, (name, line), process, row, complete=True)
            return
        _enter(found.entered, name, process, row, complete=True)
        found.within.setdefault(name, set()).update(named(n) for n in row.get("within", ()))
        if row.get("from"):
            _passage(found, named(row["from"][0]), name, int(row["from"][1]), str(row.get("kind", "call")))
    elif "hits" in row:
        name, line = named(row["hits"]), int(row["line"])
        table: dict[Any, Seen] = found.lines if line else found.entered
        seen = table.setdefault((name, line) if line else name, Seen())
        written = len(seen.times)
        seen.count = max(seen.count, int(row["n"]))
        if int(row["t"]) not in seen.times[-1:]:
            seen.times.append(int(row["t"]))
        if int(row["n"]) > written or row.get("more"):
            seen.cut = True
    elif "seen" in row:  # by something other than the recorder: breakpoints, counters, logs
        seen = _enter(found.entered, str(row["seen"]), process, row)
        seen.count += int(row.get("n", 1))
        seen.how.add(str(row.get("how", "")))
        if row.get("from"):
            _passage(found, str(row["from"][0]), str(row["seen"]), int(row["from"][1]), str(row.get("kind", "call")))
    elif "mark" in row:
        found.marks.append(row)
    elif "gap" in row:
        found.gaps.append(str(row["gap"]))


def _enter(table: Any, key: Any, process: str, row: dict[str, Any], *, complete: bool = False) -> Seen:
    seen: Seen = table.setdefault(key, Seen())
    seen.threads.add(f"{process}:{row.get('thread', '')}")
    seen.processes.add(process)
    if "t" in row:
        seen.times.append(int(row["t"]))
    seen.every = seen.every or complete
    return seen


def _passage(found: Recording, caller: str, callee: str, line: int, kind: str) -> None:
    passage = found.passages.setdefault((caller, callee), Passage())
    passage.kinds.add(kind)
    passage.lines.add(line)
