"""Records who calls whom inside an engine. Runs in the engine's own interpreter: standard library, no imports of ours.

Started by `start()` or, for a process and all its Python children, by the environment (`start_from_environment`).
Each process appends to a file of its own, one JSON object a line, each written when first seen, so a recording is
readable up to the moment a process dies:

    {"edge": [caller, callee], "line": N, "kind": K, "thread": T, "t": NS}   first time this pair was seen at this line
    {"count": [caller, callee], "line": N, "n": COUNT}                       when the process ends in order
    {"phase": NAME, "t": NS}                     what follows belongs to this phase; counts start again
    {"mark": NAME, "thread": T, "t": NS, …}      a line of the recorded program's own (`mark`)
    {"gap": WHY}                                                             what could not be recorded

A function is "file:qualname:first line". An edge is a frame of the engine entered with `caller` as the next engine
frame below it; `indirect` where frames of other code lie between, `generator` where a generator is first resumed,
`thread` and `task` where a thread or executor runs what another function handed over. Comprehensions and lambdas are
folded into the function that holds them; module and class bodies are left out.
"""

from __future__ import annotations

import atexit
import contextlib
import dis
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from types import CodeType, FrameType
from typing import IO, Any

MOST = 200_000  # distinct edges kept for one process; more is a gap, said once
_FOLDED = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_GENERATOR = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR

Key = tuple[CodeType, CodeType, int, str]


class Recorder:
    """Records the edges of one process into one file of folder `out`; `roots` are the folders of the engine's code."""

    def __init__(self, out: str, roots: Sequence[str]) -> None:
        self.out, self.roots = out, tuple(os.path.realpath(r) + os.sep for r in roots)
        self._file: IO[str] | None = None
        self._ours: dict[CodeType, bool] = {}
        self._seen: dict[Key, int] = {}
        self._resumes: dict[CodeType, int] = {}
        self._from: dict[int, tuple[CodeType, int, str]] = {}  # thread → who handed over what it runs
        self._full = False
        self._held = os.environ.get("TRACER_PROBE_START") == "phase"  # nothing is recorded before a phase is told

    # -- life ---------------------------------------------------------------------
    def start(self) -> None:
        """Record from now on, in this thread and in those started later."""
        Path(self.out).mkdir(parents=True, exist_ok=True)
        self._reopen()
        _wrap_hand_overs(self)
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self.stop)
        if not self._held:
            self._begin()

    def _begin(self) -> None:
        self._held = False
        threading.setprofile(self._event)
        sys.setprofile(self._event)

    def phase(self, name: str) -> None:
        """What follows belongs to phase `name`: each edge is written again when first seen in it."""
        self._flush()
        self._write({"phase": name, "t": time.monotonic_ns()})
        if self._held:
            os.environ.pop("TRACER_PROBE_START", None)  # children started from here on record from their start
            self._begin()

    def mark(self, name: str, data: dict[str, Any]) -> None:
        """A line of the program's own, in order with what is recorded."""
        row = {"mark": name, "thread": threading.current_thread().name, "t": time.monotonic_ns(), **data}
        self._write(row)

    def _flush(self) -> None:
        seen, self._seen = self._seen, {}
        for (caller, callee, line, _), n in seen.items():
            self._write({"count": [_name(caller), _name(callee)], "line": line, "n": n})

    def stop(self) -> None:
        """End, and write how often each edge was seen."""
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type,unused-ignore]
        self._flush()
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None

    def _forked(self) -> None:
        """A child writes to its own file; what the parent saw is the parent's."""
        self._seen, self._from, self._full = {}, {}, False
        self._reopen()
        if not self._held:
            sys.setprofile(self._event)

    def _reopen(self) -> None:
        number = 0
        while True:  # a second recorder of the same process id takes the next number
            path = Path(self.out) / f"{os.getpid()}-{number}.jsonl"
            try:
                self._file = path.open("x", encoding="utf-8", buffering=1)
            except FileExistsError:
                number += 1
            else:
                break
        self._write({"python": sys.version.split()[0], "roots": list(self.roots)})

    def _write(self, row: dict[str, Any]) -> None:
        """One line; a full disk ends the recording, never the engine."""
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(row) + "\n")
        except (OSError, ValueError):
            self._file = None
            self._full = True

    # -- events -------------------------------------------------------------------
    def _event(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or self._full:
            return
        code = frame.f_code
        ours = self._ours.get(code)
        if ours is None:
            ours = self._ours[code] = self._is_ours(code)
        if not ours or code.co_name in _FOLDED:
            return
        kind = "call"
        if code.co_flags & _GENERATOR:
            if frame.f_lasti > self._first_resume(code):
                return
            kind = "generator"
        below, between = frame.f_back, False
        while below is not None and not self._ours.get(below.f_code, False):
            between = True
            below = below.f_back
        if below is None:
            handed = self._from.get(threading.get_ident())
            if handed is not None:
                self._seen_now((handed[0], code, handed[1], handed[2]))
            return
        line = below.f_lineno or 0
        holder = below
        while holder is not None and holder.f_code.co_name in _FOLDED:
            up = holder.f_back
            while up is not None and not self._ours.get(up.f_code, False):
                up = up.f_back
            if up is None or not _holds(up.f_code, holder.f_code):
                break
            holder = up
        if holder.f_code.co_name != "<module>" and not _is_class_body(holder):
            self._seen_now((holder.f_code, code, line, "indirect" if between and kind == "call" else kind))

    def _seen_now(self, key: Key) -> None:
        n = self._seen.get(key)
        if n is not None:
            self._seen[key] = n + 1
            return
        if len(self._seen) >= MOST:
            self._full = True
            self._write({"gap": f"more than {MOST} distinct edges"})
            return
        self._seen[key] = 1
        caller, callee, line, kind = key
        self._write(
            {
                "edge": [_name(caller), _name(callee)],
                "line": line,
                "kind": kind,
                "thread": threading.current_thread().name,
                "t": time.monotonic_ns(),
            }
        )

    def _first_resume(self, code: CodeType) -> int:
        """The bytecode offset at which a generator of this code stands before it was ever resumed."""
        offset = self._resumes.get(code)
        if offset is None:
            ops = dis.get_instructions(code)
            offset = self._resumes[code] = next((i.offset for i in ops if i.opname == "RESUME"), 0)
        return offset

    def _is_ours(self, code: CodeType) -> bool:
        name = code.co_filename
        return code.co_name != "<module>" and (
            name.startswith(self.roots) or os.path.realpath(name).startswith(self.roots)
        )

    # -- hand-overs -----------------------------------------------------------------
    def handed(self, kind: str) -> tuple[CodeType, int, str] | None:
        """The nearest engine frame that is handing something over now."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and not self._ours.get(frame.f_code, False):
            frame = frame.f_back
        return (frame.f_code, frame.f_lineno or 0, kind) if frame is not None else None

    def runs(self, handed: tuple[CodeType, int, str] | None, work: Callable[..., Any]) -> Callable[..., Any]:
        """`work`, made to remember in its thread who handed it over."""

        def run(*args: Any, **kwargs: Any) -> Any:
            me = threading.get_ident()
            before = self._from.get(me)
            if handed is not None:
                self._from[me] = handed
            try:
                return work(*args, **kwargs)
            finally:
                if before is None:
                    self._from.pop(me, None)
                else:
                    self._from[me] = before

        return run


def _holds(outer: CodeType, inner: CodeType) -> bool:
    """Whether `inner` (a lambda or comprehension) is written in `outer`."""
    return inner.co_filename == outer.co_filename and any(c is inner for c in outer.co_consts)


def _is_class_body(frame: FrameType) -> bool:
    return "__module__" in frame.f_locals and "__qualname__" in frame.f_locals and frame.f_code.co_argcount == 0


def _name(code: CodeType) -> str:
    return f"{code.co_filename}:{getattr(code, 'co_qualname', code.co_name)}:{code.co_firstlineno}"


def _wrap_hand_overs(recorder: Recorder) -> None:
    """`Thread.start` and `Executor.submit` tell a thread who handed over its work."""
    start = threading.Thread.start

    def started(self: threading.Thread) -> None:
        self.run = recorder.runs(recorder.handed("thread"), self.run)  # type: ignore[method-assign]
        start(self)

    threading.Thread.start = started  # type: ignore[method-assign]
    for cls in _executors():
        _wrap_submit(recorder, cls)


def _executors() -> list[type[Executor]]:
    from concurrent.futures import ThreadPoolExecutor

    return [ThreadPoolExecutor]


def _wrap_submit(recorder: Recorder, cls: type[Executor]) -> None:
    submit = cls.submit

    def submitted(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return submit(self, recorder.runs(recorder.handed("task"), fn), *args, **kwargs)

    cls.submit = submitted  # type: ignore[method-assign]


_current: Recorder | None = None


def phase(name: str) -> None:
    """Tell the recorder of this process, if there is one, that a phase begins."""
    if _current is not None:
        _current.phase(name)


def mark(name: str, data: dict[str, Any]) -> None:
    """Write a line of the program's own into the recording of this process, if there is one."""
    if _current is not None:
        _current.mark(name, data)


def start(out: str, roots: Sequence[str]) -> Recorder:
    """Record the edges between functions below `roots` into folder `out` until the process ends."""
    global _current
    recorder = _current = Recorder(out, roots)
    recorder.start()
    return recorder


def start_from_environment() -> None:
    """Record if `TRACER_PROBE_OUT` says where and `TRACER_PROBE_ROOTS` (joined by the path separator) says what."""
    out, roots = os.environ.get("TRACER_PROBE_OUT"), os.environ.get("TRACER_PROBE_ROOTS")
    if out and roots:
        start(out, roots.split(os.pathsep))
