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

import atexit
import contextlib
import dis
import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import CodeType, FrameType
from typing import Any

MOST = 200_000  # distinct edges kept for one process; more is a gap, said once
MOST_CODES = 500_000  # functions known to one process
MOST_BYTES = 1 << 30  # of one process's file
HITS = 200  # of one planned place that are written one by one
_FOLDED = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_GENERATOR = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_OPTIMIZED = 0x1  # CO_OPTIMIZED: functions have it, bodies of modules and classes have not


class _Function:
    """What is known of one code object; it is looked up by identity, because equal code may lie in several files."""

    __slots__ = (
        "armed", "body", "code", "first", "folded", "hits", "last", "lines", "more", "name", "ours", "planned",
        "scenario", "skip", "spent"
    )  # fmt: skip

    def __init__(
        self, code: CodeType, *, ours: bool, body: bool, planned: bool, lines: frozenset[int], name: str
    ) -> None:
        self.code, self.ours, self.planned, self.lines, self.name = code, ours, planned, lines, name
        self.body = body  # of a module or class of the engine: runs once, where it is imported or defined
        self.folded = code.co_name in _FOLDED
        self.skip = False  # whether an entry of it says nothing
        self.scenario = False  # whether it is a scenario's own code
        self.spent = False  # whether it was passed so often that entries are only counted, in `more`
        self.more = 0
        self.armed = False
        self.first = -1  # offset of a generator that was never resumed
        self.hits: dict[int, int] = {}  # line (0: entered) → how often
        self.last: dict[int, int] = {}
        if code.co_flags & _GENERATOR:
            ops = dis.get_instructions(code)
            self.first = next((i.offset for i in ops if i.opname == "RESUME"), 0)


Key = tuple[int, int, int, str]
Handed = tuple[_Function, int, str]


class Recorder:
    """Records one process into one file of folder `out`; `roots` are the folders of the engine's code."""

    def __init__(
        self,
        out: str,
        roots: Sequence[str],
        plan: dict[str, Any] | None = None,
        *,
        edges: bool = True,
        held: bool = False,
    ) -> None:
        self.out, self.roots = out, tuple(os.path.realpath(r) + os.sep for r in roots)
        self._edges, self._held = edges, held  # held: nothing is recorded before a phase is told
        own = os.environ.get("TRACER_PROBE_OWN", "")
        self._own = os.path.realpath(own) + os.sep if own else ""  # code that plays the engine's user
        plan = plan or {}
        self._symbols = frozenset(plan.get("symbols", ()))
        self._lines = {f: frozenset(lines) for f, lines in plan.get("lines", {}).items()}
        self._most = int(plan.get("most", HITS))
        self._file = -1
        self._left = MOST_BYTES
        self._codes: dict[int, _Function] = {}
        self._seen: dict[Key, int] = {}
        self._fast: dict[tuple[int, int, int], int] = {}  # (caller, offset in it, callee) → calls after the first
        self._places: dict[tuple[int, int, int], Key] = {}
        self._from: dict[int, Handed] = {}  # thread → who handed over what it runs
        self._depth: dict[int, int] = {}  # thread → frames whose lines are traced (before 3.12)
        self._full = False
        self._sequence = itertools.count()
        self._tool = -1  # of sys.monitoring
        self._event = self._make_event()

    # -- life ---------------------------------------------------------------------
    def start(self) -> None:
        """Record from now on (or from the first phase), in this thread and in those started later."""
        os.makedirs(self.out, exist_ok=True)  # noqa: PTH103 (pathlib costs every child 10 ms)
        self._reopen()
        _wrap_hand_overs(self)
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self.stop)
        if os.environ.get("TRACER_PROBE_DEVICE"):
            _on_import("torch", self._devices)
        if self._by_profile:
            threading.setprofile(self._event)  # threads of the set-up too: they may run what follows
        if not self._held:
            self._begin()

    def _devices(self, torch: Any) -> None:
        """Events and streams of torch are recorded by the module beside this one."""
        place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "device.py")  # noqa: PTH100, PTH118, PTH120
        from importlib.util import module_from_spec, spec_from_file_location

        spec = spec_from_file_location("_tracer_device", place)
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            module.install(torch, lambda row: None if self._held else self._write(row))

    @property
    def _by_profile(self) -> bool:
        return self._edges or not hasattr(sys, "monitoring")

    def _begin(self) -> None:
        self._held = False
        if self._symbols and hasattr(sys, "monitoring") and not self._monitor():
            self._write({"gap": "no tool number of sys.monitoring is free: planned places are not watched"})
        if self._by_profile:
            everywhere = getattr(threading, "setprofile_all_threads", None)
            if everywhere is not None:
                everywhere(self._event)
            sys.setprofile(self._event)

    def phase(self, name: str) -> None:
        """What follows belongs to phase `name`: each edge is written again when first seen in it."""
        self._flush()
        self._write({"phase": name, "t": time.monotonic_ns()})
        if self._tool >= 0:
            sys.monitoring.restart_events()  # type: ignore[attr-defined,unused-ignore]
        if self._held:
            os.environ.pop("TRACER_PROBE_START", None)  # children started from here on record from their start
            self._begin()

    def mark(self, name: str, data: dict[str, Any]) -> None:
        """A line of the program's own, in order with what is recorded."""
        row = {"mark": name, "thread": threading.current_thread().name, "t": time.monotonic_ns(), **data}
        self._write(row)

    def _flush(self) -> None:
        seen, self._seen = self._seen, {}
        codes = self._codes
        for place, n in list(self._fast.items()):
            key = self._places.get(place)
            if key in seen:
                seen[key] += n
        self._fast.clear()
        self._places.clear()
        for (caller, callee, line, _), n in seen.items():
            self._write({"count": [codes[caller].name, codes[callee].name], "line": line, "n": n})
        for function in list(codes.values()):
            if function.hits:
                hits, function.hits = function.hits, {}
                if function.more:
                    hits[0] = hits.get(0, 0) + function.more
                function.spent, function.more = False, 0
                for line, n in hits.items():
                    more = (self._tool >= 0 or line > 0) and n >= self._most
                    self._write(
                        {"hits": function.name, "line": line, "n": n, "t": function.last.get(line, 0), "more": more}
                    )

    def stop(self) -> None:
        """End, and write how often each edge was seen."""
        if self._by_profile and not self._held and not self._full and sys.getprofile() != self._event:
            self._write({"gap": "another profiler took over sys.setprofile in the main thread"})
        if self._by_profile:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type,unused-ignore]
        if self._tool >= 0:
            sys.monitoring.set_events(self._tool, 0)  # type: ignore[attr-defined,unused-ignore]
        self._flush()
        self._close()

    def _close(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            with contextlib.suppress(OSError):
                os.close(file)

    def _forked(self) -> None:
        """A child writes to its own file; what the parent saw is the parent's."""
        self._seen, self._from, self._depth, self._full = {}, {}, {}, False
        self._fast.clear()
        self._places.clear()
        for function in self._codes.values():
            function.hits, function.spent, function.more = {}, False, 0
        self._close()
        self._reopen()
        if self._by_profile and not self._held:
            sys.setprofile(self._event)

    def _reopen(self) -> None:
        for number in itertools.count():  # a second recorder of the same process id takes the next number
            path = f"{self.out}/{os.getpid()}-{number}.jsonl"
            try:
                self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o644)
            except FileExistsError:
                continue
            except OSError:
                self._full = True  # no room for a new file: the engine goes on unrecorded
            break
        self._left = MOST_BYTES
        self._write({"python": sys.version.split()[0], "roots": list(self.roots), "pid": os.getpid()})

    def _write(self, row: dict[str, Any]) -> None:
        """One line, at once; a full disk ends the recording, never the engine."""
        if self._file < 0:
            return
        data = (json.dumps(row, default=str) + "\n").encode()
        self._left -= len(data)
        try:
            whole = os.write(self._file, data) == len(data)
        except OSError:
            whole = False
        if not whole or self._left < 0:
            self._full = True
            self._close()

    # -- events -------------------------------------------------------------------
    def _make_event(self) -> Callable[[FrameType, str, object], None]:
        """What `sys.setprofile` calls: a closure, because every call, return and C call of the engine comes here."""
        known, edges = self._codes.get, self._edges
        fast = self._fast
        count = fast.get

        def event(frame: FrameType, what: str, _: object) -> None:
            if what != "call":
                return
            code = frame.f_code
            function = known(id(code))
            if function is None:
                function = self._learn(code, frame)
            if function.skip:
                return
            if function.spent:
                function.more += 1
            elif function.planned:
                self._entered(function, frame)
                return
            back = frame.f_back
            if back is not None:
                place = (id(back.f_code), back.f_lasti, id(code))
                n = count(place)
                if n is not None:  # called from here before, and nothing lies between
                    fast[place] = n + 1
                    return
            self._entered(function, frame)

        if edges:
            return event

        def watch(frame: FrameType, what: str, _: object) -> None:
            if what == "call":
                function = known(id(frame.f_code))
                if function is None:
                    function = self._learn(frame.f_code, frame)
                if function.spent:
                    function.more += 1
                elif not function.skip:
                    self._entered(function, frame)

        return watch

    def _entered(self, function: _Function, frame: FrameType) -> None:
        """A function that is recorded is entered."""
        if self._full or self._held:
            return
        resumed = function.first >= 0 and frame.f_lasti > function.first
        if function.planned and not function.spent and self._tool < 0:
            if not resumed and self._hit(function, 0, frame) >= self._most and function.first < 0:
                function.spent = True  # a line that was not reached in so many entries is not waited for
            if function.lines:
                self._trace_lines(function, frame)
        if self._edges and not resumed:
            self._edge(function, frame)

    def _edge(self, function: _Function, frame: FrameType) -> None:
        kind = "generator" if function.first >= 0 else "call"
        below, between = self._below(frame)
        if below is None:
            handed = self._from.get(threading.get_ident())
            if handed is not None:
                self._seen_now(handed[0], function, handed[1], handed[2])
            return
        holder = self._holder(below)
        caller = self._known(holder.f_code, holder)
        if not caller.body:
            kind = "indirect" if between and kind == "call" else kind
            line = below.f_lineno or 0
            self._seen_now(caller, function, line, kind)
            if kind == "call" and (function.spent or not function.planned) and holder is below:
                place = (id(below.f_code), below.f_lasti, id(function.code))
                self._places[place] = (id(caller.code), id(function.code), line, kind)
                self._fast[place] = 0

    def _below(self, frame: FrameType) -> tuple[FrameType | None, bool]:
        """The next engine frame below, also of a module or class body, and whether frames of other code lie between.

        None below a scenario's own.
        """
        below, between = frame.f_back, False
        while below is not None:
            function = self._known(below.f_code, below)
            if function.ours or function.body:
                break
            if function.scenario:
                return None, True
            between = True
            below = below.f_back
        return below, between

    def _holder(self, below: FrameType) -> FrameType:
        """The function that a lambda or comprehension is written in, if it is running."""
        holder = below
        while holder.f_code.co_name in _FOLDED:
            up, _ = self._below(holder)
            if up is None or not _holds(up.f_code, holder.f_code):
                break
            holder = up
        return holder

    def _seen_now(self, caller: _Function, callee: _Function, line: int, kind: str) -> None:
        key = (id(caller.code), id(callee.code), line, kind)
        n = self._seen.get(key)
        if n is not None:
            self._seen[key] = n + 1
            return
        if len(self._seen) >= MOST:
            self._write({"gap": f"more than {MOST} distinct edges"})
            self._full = True
            return
        self._seen[key] = 1
        row = {"edge": [caller.name, callee.name], "line": line, "kind": kind}
        self._write({**row, "thread": threading.current_thread().name, "t": time.monotonic_ns()})

    def _hit(self, function: _Function, line: int, frame: FrameType) -> int:
        """A planned place was passed; how often it was by now."""
        n = function.hits[line] = function.hits.get(line, 0) + 1
        now = function.last[line] = time.monotonic_ns()
        if n <= self._most:
            row: dict[str, Any] = {"hit": function.name, "line": line}
            if not line:
                below, _ = self._below(frame)
                handed = self._from.get(threading.get_ident()) if below is None else None
                if below is not None:
                    holder = self._holder(below)
                    row["from"] = [self._known(holder.f_code, holder).name, below.f_lineno or 0]
                elif handed is not None:
                    row["from"], row["kind"] = [handed[0].name, handed[1]], handed[2]
                within = self._within(frame)
                if within:
                    row["within"] = within
            self._write({**row, "thread": threading.current_thread().name, "t": now, "seq": next(self._sequence)})
        return n

    def _within(self, frame: FrameType) -> list[str]:
        """The planned functions that are running below: what is entered now is entered within them."""
        found: dict[str, None] = {}
        below = frame.f_back
        while below is not None:
            function = self._known(below.f_code, below)
            if function.planned:
                found[function.name] = None
            below = below.f_back
        return list(found)

    # -- lines before Python 3.12: traced in planned frames only ----------------------------
    def _trace_lines(self, function: _Function, frame: FrameType) -> None:
        if all(function.hits.get(line, 0) >= self._most for line in function.lines):
            return
        me = threading.get_ident()
        depth = self._depth.get(me, 0)
        if not depth:
            if sys.gettrace() is not None:  # a debugger or coverage tool is there: its lines are its own
                return
            sys.settrace(self._no_calls)
        self._depth[me] = depth + 1
        frame.f_trace = self._line

    def _no_calls(self, _frame: FrameType, _event: str, _: object) -> None:
        return None

    def _line(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            function = self._codes.get(id(frame.f_code))
            if function is not None and frame.f_lineno in function.lines and not self._full:
                self._hit(function, frame.f_lineno, frame)
        elif event == "return":
            me = threading.get_ident()
            depth = self._depth[me] = self._depth.get(me, 1) - 1
            if not depth:
                sys.settrace(None)
            return None
        return self._line

    # -- from Python 3.12 on: sys.monitoring ------------------------------------------------
    def _monitor(self) -> bool:
        """Watch the planned functions; whether a tool number was free."""
        watch: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        free = [
            n for n in (watch.PROFILER_ID, 3, 4, watch.OPTIMIZER_ID, watch.DEBUGGER_ID) if watch.get_tool(n) is None
        ]
        if not free:
            return False
        self._tool, events = free[0], watch.events
        watch.use_tool_id(self._tool, "tracer")
        watch.register_callback(self._tool, events.PY_START, self._started)
        watch.register_callback(self._tool, events.LINE, self._lined)
        watch.set_events(self._tool, events.PY_START)
        return True

    def _started(self, code: CodeType, _: int) -> Any:
        watch: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        function = self._codes.get(id(code))
        if function is None:
            function = self._learn(code, sys._getframe(1))
        if not function.planned or self._full:
            return watch.DISABLE
        if function.lines and not function.armed:
            function.armed = True
            watch.set_local_events(self._tool, code, watch.events.LINE)
        return watch.DISABLE if self._hit(function, 0, sys._getframe(1)) >= self._most else None

    def _lined(self, code: CodeType, line: int) -> Any:
        watch: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        function = self._codes.get(id(code))
        if function is None or line not in function.lines or self._full:
            return watch.DISABLE
        return watch.DISABLE if self._hit(function, line, sys._getframe(1)) >= self._most else None

    # -- code -----------------------------------------------------------------------
    def _known(self, code: CodeType, frame: FrameType) -> _Function:
        return self._codes.get(id(code)) or self._learn(code, frame)

    def _learn(self, code: CodeType, frame: FrameType) -> _Function:
        """Keep what there is to know of a code object, and the object itself, so that its identity stays its own."""
        path = code.co_filename
        root = next((r for r in self.roots if path.startswith(r)), None)
        if root is None:
            path = os.path.realpath(path)
            root = next((r for r in self.roots if path.startswith(r)), None)
        body = root is not None and not code.co_flags & _OPTIMIZED
        ours = root is not None and not body
        qualname = (getattr(code, "co_qualname", None) or _qualname(code, frame)) if ours else code.co_name
        planned, lines = False, frozenset[int]()
        if ours and self._symbols and root is not None:
            file = f"{root.rstrip(os.sep).rsplit(os.sep, 1)[-1]}/{path[len(root) :]}".replace(os.sep, "/")
            planned = _symbol(file, qualname) in self._symbols
            if planned:
                inside = {line for _, _, line in code.co_lines() if line}
                lines = self._lines.get(file, frozenset()) & inside
        name = f"{code.co_filename}:{qualname}:{code.co_firstlineno}"
        function = _Function(code, ours=ours, body=body, planned=planned, lines=lines, name=name)
        function.scenario = bool(self._own) and path.startswith(self._own)
        function.skip = not ours or function.folded or not (self._edges or planned)
        if len(self._codes) < MOST_CODES:
            self._codes[id(code)] = function
        return function

    # -- hand-overs -----------------------------------------------------------------
    def handed(self, kind: str) -> Handed | None:
        """The nearest engine frame that is handing something over now."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and not (function := self._known(frame.f_code, frame)).ours:
            frame = None if function.scenario else frame.f_back
        if frame is None:
            return None
        holder = self._holder(frame)
        return self._known(holder.f_code, holder), frame.f_lineno or 0, kind

    def runs(self, handed: Handed | None, work: Callable[..., Any]) -> Callable[..., Any]:
        """`work`, made to remember in its thread who handed it over."""

        def run(*args: Any, **kwargs: Any) -> Any:
            me = threading.get_ident()
            before = self._from.get(me)
            if handed is not None:
                self._from[me] = handed
            if self._tool >= 0:
                sys.monitoring.restart_events()  # type: ignore[attr-defined,unused-ignore]  # seen in this thread too
            try:
                return work(*args, **kwargs)
            finally:
                if before is None:
                    self._from.pop(me, None)
                else:
                    self._from[me] = before

        return run

    def hands(self, kind: str, code: CodeType | None) -> None:
        """What is running hands the function of `code` over to an event loop or a process."""
        if code is None or self._held or self._full or not self._edges:
            return
        handed = self.handed(kind)
        if handed is not None:
            function = self._known(code, sys._getframe())
            if function.ours and not function.folded:
                self._seen_now(handed[0], function, handed[1], kind)


def _holds(outer: CodeType, inner: CodeType) -> bool:
    """Whether `inner` (a lambda or comprehension) is written in `outer`."""
    return inner.co_filename == outer.co_filename and any(c is inner for c in outer.co_consts)


def _symbol(file: str, qualname: str) -> str:
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = [p for p in qualname.split(".") if p != "<locals>"]
    return ".".join([module, *parts])


def _qualname(code: CodeType, frame: FrameType) -> str:
    """Python 3.10 keeps no qualified names: the class of the first argument that has this very function."""
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount and frame.f_code is code else None
    for cls in getattr(first if isinstance(first, type) else type(first), "__mro__", ()):
        found = cls.__dict__.get(code.co_name)
        found = getattr(found, "fget", None) or getattr(found, "__func__", found)
        if getattr(found, "__code__", None) is code:
            return f"{cls.__qualname__}.{code.co_name}"
    return code.co_name


def _wrap_hand_overs(recorder: Recorder) -> None:
    """`Thread.start`, `Executor.submit` tell a thread who handed over its work; loops and processes are told of."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit

    def started(self: threading.Thread) -> None:
        self.run = recorder.runs(recorder.handed("thread"), self.run)  # type: ignore[method-assign]
        start(self)

    def submitted(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return submit(self, recorder.runs(recorder.handed("task"), fn), *args, **kwargs)

    threading.Thread.start = started  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = submitted  # type: ignore[method-assign]
    _on_import("asyncio.base_events", lambda module: _wrap_tasks(recorder, module.BaseEventLoop))
    _on_import("multiprocessing.process", lambda module: _wrap_processes(recorder, module.BaseProcess))


def _wrap_tasks(recorder: Recorder, cls: Any) -> None:
    create = cls.create_task

    def created(self: Any, coro: Any, **kwargs: Any) -> Any:
        recorder.hands("task", getattr(coro, "cr_code", None))
        return create(self, coro, **kwargs)

    cls.create_task = created


def _wrap_processes(recorder: Recorder, cls: Any) -> None:
    start = cls.start

    def started(self: Any) -> None:
        recorder.hands("process", getattr(getattr(self, "_target", None), "__code__", None))
        start(self)

    cls.start = started


class _Watch:
    """Does something with a module once it is imported; costs nothing where it never is."""

    def __init__(self, name: str, then: Callable[[Any], None]) -> None:
        self.name, self.then = name, then

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> Any:
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            run, then = spec.loader.exec_module, self.then

            def execute(module: Any) -> None:
                run(module)
                with contextlib.suppress(Exception):
                    then(module)

            spec.loader.exec_module = execute  # type: ignore[method-assign]
        return spec


def _on_import(name: str, then: Callable[[Any], None]) -> None:
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Watch(name, then))


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
