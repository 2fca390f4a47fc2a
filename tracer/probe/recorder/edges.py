"""The distinct calls between functions of the engine, and how often each was seen."""

from __future__ import annotations

import threading
import time
from types import CodeType, FrameType

from .functions import Function, Functions
from .handovers import HandOvers
from .log import Log

MOST = 200_000  # distinct edges kept for one process; more is a gap, said once

Key = tuple[int, int, int, str]  # caller, callee, line, kind


class Edges:
    """`fast` counts calls after the first by (caller, offset in it, callee): the event looks there before it asks."""

    def __init__(self, functions: Functions, hand_overs: HandOvers, log: Log) -> None:
        self._functions, self._hand_overs, self._log = functions, hand_overs, log
        self._seen: dict[Key, int] = {}
        self.fast: dict[tuple[int, int, int], int] = {}
        self._places: dict[tuple[int, int, int], Key] = {}

    def entered(self, function: Function, frame: FrameType) -> None:
        """A function is entered: by which engine function, at which line."""
        kind = "generator" if function.first >= 0 else "call"
        below, between = self._functions.below(frame)
        if below is None:
            handed = self._hand_overs.here()
            if handed is not None:
                self.seen(handed[0], function, handed[1], handed[2])
            return
        holder = self._functions.holder(below)
        caller = self._functions.known(holder.f_code, holder)
        if caller.body:
            return
        kind = "indirect" if between and kind == "call" else kind
        line = below.f_lineno or 0
        self.seen(caller, function, line, kind)
        if kind == "call" and (function.spent or not function.planned) and holder is below:
            place = (id(below.f_code), below.f_lasti, id(function.code))
            self._places[place] = (id(caller.code), id(function.code), line, kind)
            self.fast[place] = 0

    def handed(self, kind: str, code: CodeType, frame: FrameType) -> None:
        """What is running hands the function of `code` over to an event loop or a process."""
        handed = self._hand_overs.handing(kind)
        if handed is not None:
            function = self._functions.known(code, frame)
            if function.ours and not function.folded:
                self.seen(handed[0], function, handed[1], kind)

    def seen(self, caller: Function, callee: Function, line: int, kind: str) -> None:
        """Write an edge when it is first seen, count it afterwards."""
        key = (id(caller.code), id(callee.code), line, kind)
        n = self._seen.get(key)
        if n is not None:
            self._seen[key] = n + 1
            return
        if len(self._seen) >= MOST:
            self._log.write({"gap": f"more than {MOST} distinct edges"})
            self._log.full = True
            return
        self._seen[key] = 1
        row = {"edge": [caller.name, callee.name], "line": line, "kind": kind}
        self._log.write({**row, "thread": threading.current_thread().name, "t": time.monotonic_ns()})

    def flush(self) -> None:
        """Write how often each edge was seen since the last time, and begin again."""
        seen, self._seen = self._seen, {}
        for place, n in list(self.fast.items()):
            key = self._places.get(place)
            if key in seen:
                seen[key] += n
        self._clear()
        codes = self._functions.by_code
        for (caller, callee, line, _), n in seen.items():
            self._log.write({"count": [codes[caller].name, codes[callee].name], "line": line, "n": n})

    def forget(self) -> None:
        """What a parent saw is the parent's."""
        self._seen = {}
        self._clear()

    def _clear(self) -> None:
        self.fast.clear()
        self._places.clear()
