"""The planned functions and lines: when each is passed, and how often.

From Python 3.12 on they are watched by `sys.monitoring`; before, lines are traced in the frames of planned functions.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from types import CodeType, FrameType
from typing import Any

from .functions import Function, Functions
from .handovers import HandOvers
from .log import Log


class Places:
    """`most` hits of a place are written one by one; `tool` is the number that `sys.monitoring` gave, -1 without."""

    def __init__(self, functions: Functions, hand_overs: HandOvers, log: Log, most: int) -> None:
        self._functions, self._hand_overs, self._log, self._most = functions, hand_overs, log, most
        self.tool = -1
        self._sequence = itertools.count()
        self._depth: dict[int, int] = {}  # thread → frames whose lines are traced (before 3.12)

    def hit(self, function: Function, line: int, frame: FrameType) -> int:
        """A planned place was passed (line 0: the function was entered); how often it was by now."""
        n = function.hits[line] = function.hits.get(line, 0) + 1
        now = function.last[line] = time.monotonic_ns()
        if n <= self._most:
            row: dict[str, Any] = {"hit": function.name, "line": line}
            if not line:
                row.update(self._from(frame))
            self._log.write({**row, "thread": threading.current_thread().name, "t": now, "seq": next(self._sequence)})
        return n

    def _from(self, frame: FrameType) -> dict[str, Any]:
        """Who called, or handed over, what `frame` runs, and the planned functions that it runs within."""
        row: dict[str, Any] = {}
        functions = self._functions
        below, _ = functions.below(frame)
        handed = self._hand_overs.here() if below is None else None
        if below is not None:
            holder = functions.holder(below)
            row["from"] = [functions.known(holder.f_code, holder).name, below.f_lineno or 0]
        elif handed is not None:
            row["from"], row["kind"] = [handed[0].name, handed[1]], handed[2]
        within = functions.within(frame)
        if within:
            row["within"] = within
        return row

    def flush(self) -> None:
        """Write how often each place was passed since the last time, and begin again."""
        for function in list(self._functions.by_code.values()):
            if function.hits:
                hits, function.hits = function.hits, {}
                if function.more:
                    hits[0] = hits.get(0, 0) + function.more
                function.spent, function.more = False, 0
                for line, n in hits.items():
                    more = (self.tool >= 0 or line > 0) and n >= self._most
                    self._log.write(
                        {"hits": function.name, "line": line, "n": n, "t": function.last.get(line, 0), "more": more}
                    )

    def forget(self) -> None:
        """What a parent saw is the parent's."""
        self._depth = {}
        for function in self._functions.by_code.values():
            function.hits, function.spent, function.more = {}, False, 0

    # -- before Python 3.12 -------------------------------------------------------------
    def entered(self, function: Function, frame: FrameType, *, resumed: bool) -> None:
        """A planned function is entered, as a profile function tells."""
        if not resumed and self.hit(function, 0, frame) >= self._most and function.first < 0:
            function.spent = True  # a line that was not reached in so many entries is not waited for
        if function.lines:
            self._trace_lines(function, frame)

    def _trace_lines(self, function: Function, frame: FrameType) -> None:
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
            function = self._functions.by_code.get(id(frame.f_code))
            if function is not None and frame.f_lineno in function.lines and not self._log.full:
                self.hit(function, frame.f_lineno, frame)
        elif event == "return":
            me = threading.get_ident()
            depth = self._depth[me] = self._depth.get(me, 1) - 1
            if not depth:
                sys.settrace(None)
            return None
        return self._line

    # -- from Python 3.12 on --------------------------------------------------------------
    def monitor(self) -> bool:
        """Watch the planned functions; whether a tool number was free."""
        watch: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        free = [
            n for n in (watch.PROFILER_ID, 3, 4, watch.OPTIMIZER_ID, watch.DEBUGGER_ID) if watch.get_tool(n) is None
        ]
        if not free:
            return False
        self.tool, events = free[0], watch.events
        watch.use_tool_id(self.tool, "tracer")
        watch.register_callback(self.tool, events.PY_START, self._started)
        watch.register_callback(self.tool, events.LINE, self._lined)
        watch.set_events(self.tool, events.PY_START)
        return True

    def again(self) -> None:
        """Watch what was switched off: another thread or phase begins."""
        if self.tool >= 0:
            sys.monitoring.restart_events()  # type: ignore[attr-defined,unused-ignore]

    def end(self) -> None:
        """Watch nothing any more."""
        if self.tool >= 0:
            sys.monitoring.set_events(self.tool, 0)  # type: ignore[attr-defined,unused-ignore]

    def _started(self, code: CodeType, _: int) -> Any:
        watch: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        function = self._functions.by_code.get(id(code))
        if function is None:
            function = self._functions.learn(code, sys._getframe(1))
        if not function.planned or self._log.full:
            return watch.DISABLE
        if function.lines and not function.armed:
            function.armed = True
            watch.set_local_events(self.tool, code, watch.events.LINE)
        return watch.DISABLE if self.hit(function, 0, sys._getframe(1)) >= self._most else None

    def _lined(self, code: CodeType, line: int) -> Any:
        watch: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        function = self._functions.by_code.get(id(code))
        if function is None or line not in function.lines or self._log.full:
            return watch.DISABLE
        return watch.DISABLE if self.hit(function, line, sys._getframe(1)) >= self._most else None
