"""Who handed over the work that a thread, an executor, an event loop or a process runs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import CodeType, FrameType
from typing import Any

from .functions import Function, Functions
from .imports import on_import

Handed = tuple[Function, int, str]  # by whom, at which line, how
Told = Callable[[str, "CodeType | None"], None]


class HandOvers:
    """Takes the functions, and what to do in a thread that begins to run handed-over work."""

    def __init__(self, functions: Functions, begins: Callable[[], None]) -> None:
        self._functions, self._begins = functions, begins
        self._from: dict[int, Handed] = {}  # thread → who handed over what it runs

    def here(self) -> Handed | None:
        """Who handed over what this thread runs."""
        return self._from.get(threading.get_ident())

    def forget(self) -> None:
        """A forked child has threads of its own."""
        self._from = {}

    def handing(self, kind: str) -> Handed | None:
        """The nearest engine frame that is handing something over now."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and not (function := self._functions.known(frame.f_code, frame)).ours:
            frame = None if function.scenario else frame.f_back
        if frame is None:
            return None
        holder = self._functions.holder(frame)
        return self._functions.known(holder.f_code, holder), frame.f_lineno or 0, kind

    def runs(self, handed: Handed | None, work: Callable[..., Any]) -> Callable[..., Any]:
        """`work`, made to remember in its thread who handed it over."""

        def run(*args: Any, **kwargs: Any) -> Any:
            me = threading.get_ident()
            before = self._from.get(me)
            if handed is not None:
                self._from[me] = handed
            self._begins()
            try:
                return work(*args, **kwargs)
            finally:
                if before is None:
                    self._from.pop(me, None)
                else:
                    self._from[me] = before

        return run

    def wrap(self, told: Told) -> None:
        """`Thread.start` and `Executor.submit` tell a thread who handed it over; `told` of the others."""
        start, submit = threading.Thread.start, ThreadPoolExecutor.submit

        def started(thread: threading.Thread) -> None:
            thread.run = self.runs(self.handing("thread"), thread.run)  # type: ignore[method-assign]
            start(thread)

        def submitted(pool: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            return submit(pool, self.runs(self.handing("task"), fn), *args, **kwargs)

        threading.Thread.start = started  # type: ignore[assignment,method-assign]
        ThreadPoolExecutor.submit = submitted  # type: ignore[method-assign]
        on_import("asyncio.base_events", lambda module: _wrap_tasks(told, module.BaseEventLoop))
        on_import("multiprocessing.process", lambda module: _wrap_processes(told, module.BaseProcess))


def _wrap_tasks(told: Told, cls: Any) -> None:
    create = cls.create_task

    def created(self: Any, coro: Any, **kwargs: Any) -> Any:
        told("task", getattr(coro, "cr_code", None))
        return create(self, coro, **kwargs)

    cls.create_task = created


def _wrap_processes(told: Told, cls: Any) -> None:
    start = cls.start

    def started(self: Any) -> None:
        told("process", getattr(getattr(self, "_target", None), "__code__", None))
        start(self)

    cls.start = started
