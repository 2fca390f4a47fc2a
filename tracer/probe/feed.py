"""Edges that a run showed and the graph lacks, kept as `graph` prints edges, so that they can be joined to it.

They carry the basis `observed`: seen in a run, not read from the source. Nothing joins them unless it is asked to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tracer import atomic
from tracer.errors import TracerError, UsageError
from tracer.model import EDGE_KINDS, Edge
from tracer.probe.observed import Observed
from tracer.targets import specs_of

KINDS = {"thread": "thread", "task": "async", "process": "process", "call": "call"}  # recorded → of the graph
MOST = 64 << 20  # bytes of a file that is read


def edges(missed: Iterable[Observed], specs: Sequence[str]) -> Iterator[Edge]:
    """What was seen as edges of the graph; files as the repositories of `specs` call them."""
    prefixes = {target.name: next((p for p in target.packages if p), "") for target, _ in specs_of(specs)}
    for o in missed:
        file = prefixes.get(o.file.split("/", 1)[0], "") + o.file
        yield Edge(o.caller, o.callee, KINDS.get(o.kind, "dynamic"), "observed", file, o.line)


def write(found: Iterable[Edge], file: Path) -> int:
    """Keep edges; how many there were."""
    rows = [
        {"source": e.source, "target": e.target, "kind": e.kind, "basis": e.basis, "file": e.file, "line": e.line}
        for e in found
    ]
    try:
        atomic.write(file, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    except OSError as error:
        kind = TracerError if atomic.is_room(error) else UsageError
        raise kind(f"cannot be written ({error.strerror})", where=str(file), todo="choose another file") from error
    return len(rows)


def read(file: Path) -> list[Edge]:
    """The edges that `write` kept; `UsageError` for anything else."""
    todo = "give what `tracer probe confirm --observed` wrote"
    try:
        if file.stat().st_size > MOST:
            raise UsageError(f"is larger than {MOST >> 20} MiB", where=str(file), todo=todo)
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = [
            Edge(str(r["source"]), str(r["target"]), str(r["kind"]), "observed", str(r["file"]), int(r["line"]))
            for r in rows
            if r["basis"] == "observed" and r["kind"] in EDGE_KINDS
        ]
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=str(file), todo=todo) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError("holds something else than edges", where=str(file), todo=todo) from error
    if len(found) < len(rows):
        raise UsageError("holds edges that were not observed", where=str(file), todo=todo)
    return found
