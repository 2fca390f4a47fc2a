"""Records who calls whom inside an engine. Runs in the engine's own interpreter: standard library, no imports of ours.

Started by `start()` or, for a process and all its Python children, by the environment (`start_from_environment`).
Each process appends to a file of its own, one JSON object a line, each written at once, so a recording is readable up
to the moment a process dies:

    {"edge": [caller, callee], "line": N, "kind": K, "thread": T, "t": NS}   first time this pair was seen at this line
    {"count": [caller, callee], "line": N, "n": COUNT}                       when a phase or the process ends in order
    {"hit": F, "line": L, "from": [caller, N], "thread": T, "t": NS, "seq": N}   a planned function entered (L 0), or
                                                                                 its line L reached
                                                 "within": planned functions that run below
    {"hits": F, "line": L, "n": COUNT, "t": NS, "more": B}   how often, and when last; more: counting stopped there
    {"phase": NAME, "t": NS}                     what follows belongs to this phase; counts start again
    {"mark": NAME, "thread": T, "t": NS, …}      a line of the recorded program's own (`mark`)
    {"device": WHAT, …}                          with TRACER_PROBE_DEVICE: events and streams, as `device.py` says
    {"gap": WHY}                                 what could not be recorded

A function is "file:qualname:first line". An edge is a frame of the engine entered with `caller` as the next engine
frame below it; `indirect` where frames of other code lie between, `generator` where a generator is first resumed,
`thread`, `task` and `process` where a thread, executor, event loop or process runs what another function handed over.
Comprehensions and lambdas are folded into the function that holds them; module and class bodies are left out.

Edges need `sys.setprofile` (every call costs). A plan (JSON: {"symbols": […], "lines": {file: […]}, "most": N}) names
functions and lines: from Python 3.12 on they are watched by `sys.monitoring`, each place until its N-th hit, and all
else is switched off at its first event; before, by `sys.setprofile` with one look-up for what is not planned, and
lines during the first N entries of their function.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from .recorder import Recorder

_current: Recorder | None = None


def phase(name: str) -> None:
    """Tell the recorder of this process, if there is one, that a phase begins."""
    if _current is not None:
        _current.phase(name)


def mark(name: str, data: dict[str, Any]) -> None:
    """Write a line of the program's own into the recording of this process, if there is one."""
    if _current is not None:
        _current.mark(name, data)


def start(
    out: str, roots: Sequence[str], plan: dict[str, Any] | None = None, *, edges: bool = True, held: bool = False
) -> Recorder:
    """Record into folder `out` until the process ends: edges between functions below `roots`, and what is planned."""
    global _current
    recorder = _current = Recorder(out, roots, plan, edges=edges, held=held)
    recorder.start()
    return recorder


def start_from_environment() -> None:
    """Record if `TRACER_PROBE_OUT` says where and `TRACER_PROBE_ROOTS` (joined by the path separator) says what.

    `TRACER_PROBE_PLAN` names a plan; `TRACER_PROBE_EDGES` asks for edges beside it; `TRACER_PROBE_START=phase` waits.
    """
    out, roots = os.environ.get("TRACER_PROBE_OUT"), os.environ.get("TRACER_PROBE_ROOTS")
    if not out or not roots:
        return
    plan = None
    file = os.environ.get("TRACER_PROBE_PLAN")
    if file:
        with open(file, encoding="utf-8") as text:  # noqa: PTH123
            plan = json.load(text)
    edges = plan is None or bool(os.environ.get("TRACER_PROBE_EDGES"))
    start(out, roots.split(os.pathsep), plan, edges=edges, held=os.environ.get("TRACER_PROBE_START") == "phase")
