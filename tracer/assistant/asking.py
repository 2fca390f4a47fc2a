"""One question at a time, in a thread: told how far it is, and ended when nobody waits for it any more.

Takes a plain function; knows no protocol. A question that is ended gets an exception at its next line of Python, as
Ctrl-C would do to it on the command line; what it had surveyed is kept, so that the next one goes on from there.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")
EVERY = 1.0  # seconds between two words on how far it is
Tell = Callable[[float, str], Awaitable[None]]


class Ended(BaseException):
    """Nobody waits for this question any more. No `Exception`, so that no handler in the pipeline takes it."""


class Question(Generic[T]):
    """A function that runs in a thread of somebody's choice, and can be ended from another one."""

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._guard = threading.Lock()
        self._thread = 0
        self._ended = False
        self.stage = ""

    def told(self, what: str, done: int, total: int) -> None:
        """How far it is: for `tracer.trace(..., progress=...)`."""
        self.stage = f"{what}: {done} of {total}" if total else what

    def run(self) -> T:
        """Ask. Raises `Ended` where `end` came first."""
        with self._guard:
            if self._ended:
                raise Ended
            self._thread = threading.get_ident()
        token = _asked.set(self)
        try:
            return self._ask()
        finally:
            with self._guard:
                self._thread = 0
            for _ in range(2):  # what was sent arrives here at the latest, not in what the thread does next
                pass
            _asked.reset(token)

    def end(self) -> None:
        """Let it end at its next line of Python; nothing where it is over."""
        with self._guard:
            self._ended = True
            if self._thread:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(Ended))


_asked: ContextVar[Question[Any] | None] = ContextVar("asked", default=None)


def progress(what: str, done: int, total: int) -> None:
    """Tells the question of this thread how far it is."""
    question = _asked.get()
    if question is not None:
        question.told(what, done, total)


async def ask(question: Question[T], turn: anyio.Lock, tell: Tell) -> T:
    """The answer, when it is this question's turn; `tell` hears every second how long it has taken and at what it is.

    Cancelled, the question is ended, and this waits until its thread is free.
    """
    began = time.monotonic()
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell, question, tell, began)
        async with turn:
            tasks.start_soon(_watch, question)
            await anyio.sleep(0)  # the watcher stands before the thread starts
            try:
                answer = await anyio.to_thread.run_sync(question.run)
            except Ended:
                await anyio.sleep(0)  # raises what cancelled it
                raise RuntimeError("a question was ended that nobody cancelled") from None
            except Exception as error:  # told outside of the tasks, which would wrap it in a group
                failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return answer


async def _watch(question: Question[T]) -> None:
    try:
        await anyio.sleep_forever()
    finally:
        question.end()


async def _tell(question: Question[T], tell: Tell, began: float) -> None:
    while True:
        await anyio.sleep(EVERY)
        await tell(time.monotonic() - began, question.stage or "waits for its turn, or for its source")
