"""The recorder of one process: when it records, and what each event of `sys.setprofile` leads to."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from .edges import Edges
from .functions import Function, Functions
from .handovers import HandOvers
from .imports import on_import
from .log import Log
from .places import Places

HITS = 200  # of one planned place that are written one by one


class Recorder:
    """Records one process into one file of folder `out`; `roots` are the folders of the engine's code.

    With `held` nothing is recorded before a phase is told.
    """

    def __init__(
        self,
        out: str,
        roots: Sequence[str],
        plan: dict[str, Any] | None = None,
        *,
        edges: bool = True,
        held: bool = False,
    ) -> None:
        plan = plan or {}
        self._with_edges, self._held = edges, held
        self._log = Log(out)
        self._functions = Functions(roots, plan, edges=edges)
        self._hand_overs = HandOvers(self._functions, lambda: self.places.again())
        self._edges = Edges(self._functions, self._hand_overs, self._log)
        self.places = Places(self._functions, self._hand_overs, self._log, int(plan.get("most", HITS)))
        self.event = self._make_event()

    def start(self) -> None:
        """Record from now on (or from the first phase), in this thread and in those started later."""
        os.makedirs(self._log.out, exist_ok=True)  # noqa: PTH103 (pathlib costs every child 10 ms)
        self._log.open(self._functions.roots)
        self._hand_overs.wrap(self._handed)
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self.stop)
        if os.environ.get("TRACER_PROBE_DEVICE"):
            on_import("torch", self._devices)
        if self.by_profile:
            threading.setprofile(self.event)  # threads of the set-up too: they may run what follows
        if not self._held:
            self._begin()

    def _devices(self, torch: Any) -> None:
        from .device import install

        install(torch, lambda row: None if self._held else self._log.write(row))

    @property
    def by_profile(self) -> bool:
        """Whether `sys.setprofile` tells of calls; else `sys.monitoring` alone watches what is planned."""
        return self._with_edges or not hasattr(sys, "monitoring")

    def _begin(self) -> None:
        self._held = False
        if self._functions.symbols and hasattr(sys, "monitoring") and not self.places.monitor():
            self._log.write({"gap": "no tool number of sys.monitoring is free: planned places are not watched"})
        if self.by_profile:
            everywhere = getattr(threading, "setprofile_all_threads", None)
            if everywhere is not None:
                everywhere(self.event)
            sys.setprofile(self.event)

    def phase(self, name: str) -> None:
        """What follows belongs to phase `name`: each edge is written again when first seen in it."""
        self._flush()
        self._log.write({"phase": name, "t": time.monotonic_ns()})
        self.places.again()
        if self._held:
            os.environ.pop("TRACER_PROBE_START", None)  # children started from here on record from their start
            self._begin()

    def mark(self, name: str, data: dict[str, Any]) -> None:
        """A line of the program's own, in order with what is recorded."""
        row = {"mark": name, "thread": threading.current_thread().name, "t": time.monotonic_ns(), **data}
        self._log.write(row)

    def stop(self) -> None:
        """End, and write how often each edge was seen."""
        if self.by_profile and not self._held and not self._log.full and sys.getprofile() != self.event:
            self._log.write({"gap": "another profiler took over sys.setprofile in the main thread"})
        if self.by_profile:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type,unused-ignore]
        self.places.end()
        self._flush()
        self._log.close()

    def _flush(self) -> None:
        self._edges.flush()
        self.places.flush()

    def _forked(self) -> None:
        """A child writes to its own file; what the parent saw is the parent's."""
        self._edges.forget()
        self.places.forget()
        self._hand_overs.forget()
        self._log.close()
        self._log.full = False
        self._log.open(self._functions.roots)
        if self.by_profile and not self._held:
            sys.setprofile(self.event)

    def _make_event(self) -> Callable[[FrameType, str, object], None]:
        """What `sys.setprofile` calls: a closure, because every call, return and C call of the engine comes here."""
        known, learn, entered = self._functions.by_code.get, self._functions.learn, self._entered
        fast = self._edges.fast
        count = fast.get

        def event(frame: FrameType, what: str, _: object) -> None:
            if what != "call":
                return
            code = frame.f_code
            function = known(id(code))
            if function is None:
                function = learn(code, frame)
            if function.skip:
                return
            if function.spent:
                function.more += 1
            elif function.planned:
                entered(function, frame)
                return
            back = frame.f_back
            if back is not None:
                place = (id(back.f_code), back.f_lasti, id(code))
                n = count(place)
                if n is not None:  # called from here before, and nothing lies between
                    fast[place] = n + 1
                    return
            entered(function, frame)

        if self._with_edges:
            return event

        def watch(frame: FrameType, what: str, _: object) -> None:
            if what == "call":
                function = known(id(frame.f_code))
                if function is None:
                    function = learn(frame.f_code, frame)
                if function.spent:
                    function.more += 1
                elif not function.skip:
                    entered(function, frame)

        return watch

    def _entered(self, function: Function, frame: FrameType) -> None:
        """A function that is recorded is entered."""
        if self._log.full or self._held:
            return
        resumed = function.first >= 0 and frame.f_lasti > function.first
        if function.planned and not function.spent and self.places.tool < 0:
            self.places.entered(function, frame, resumed=resumed)
        if self._with_edges and not resumed:
            self._edges.entered(function, frame)

    def _handed(self, kind: str, code: CodeType | None) -> None:
        """What is running hands the function of `code` over to an event loop or a process."""
        if code is not None and self._with_edges and not self._held and not self._log.full:
            self._edges.handed(kind, code, sys._getframe())
