"""Completion by shape: filled by a thread and drained by its owner; an event; a tally; a callback of a future."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor


class Mover:
    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.done: list[str] = []
        self.notes: list[str] = []
        self.idle = threading.Event()
        self.parts = 0
        self.wanted = 4
        self.pool = pool
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        self.done.append("a")  # expect: hand-over signal
        self.notes.append("a")  # expect: nothing (nobody takes it)
        self.parts += 1  # expect: tally signal
        self.idle.set()  # expect: event signal

    def finished(self) -> list[str]:
        out = list(self.done)
        self.done.clear()  # expect: hand-over observe
        return out

    def wait(self) -> None:
        self.idle.wait()  # expect: event observe

    def all_there(self) -> bool:
        return self.parts == self.wanted  # expect: tally observe

    def copy(self) -> None:
        task = self.pool.submit(self._run)
        task.result()  # expect: event observe

    def copy_later(self) -> None:
        task = self.pool.submit(self._run)
        task.add_done_callback(self._after)  # expect: nothing (it only registers)

    # expect: event observe
    def _after(self, task: Future[None]) -> None:
        print(task)
