"""Processes that share the work of one question. They end with the process that asked, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from typing import Any, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


@contextmanager
def pool(
    workers: int, method: str, start: Callable[..., None] | None = None, given: Sequence[Any] = ()
) -> Iterator[ProcessPoolExecutor]:
    """So many processes (`method` is fork or spawn), each of which runs `start` first; what is not begun is dropped."""
    executor = ProcessPoolExecutor(workers, get_context(method), initializer=_begin, initargs=(start, given))
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def each(executor: Executor, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[tuple[int, Result]]:
    """(number of the job, what came of it), as they end; without those whose process was killed."""
    tasks: dict[Future[Result], int] = {}
    with suppress(BrokenProcessPool):
        for number, job in enumerate(jobs):
            tasks[executor.submit(work, job)] = number
    for task in as_completed(list(tasks)):
        try:
            yield tasks.pop(task), task.result()
        except BrokenProcessPool:
            continue


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    """Let a process of its own do `work` beside the body; it has ended when this ends.

    What it finds has to be kept, or it is lost. One that cannot be started, or that fails, costs time and nothing
    else: whoever asks for what is not kept does the work again, and meets the error there.
    """
    other = get_context("fork").Process(target=_begin, args=(work, ()), daemon=True)
    other.start()
    try:
        yield
        other.join()
    finally:
        if other.is_alive():  # the body was interrupted
            other.terminate()
            other.join()


def _begin(start: Callable[..., None] | None, given: Sequence[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asked is interrupted too, and says so
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if start is not None:
            start(*given)
    except Exception:  # whoever asked does the work itself, and meets it there
        os._exit(1)


def _end_with_parent() -> None:
    """Wait until the process that asked is gone; one that is killed ends nobody by itself."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
