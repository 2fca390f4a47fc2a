"""One side of a comparison found by a process of its own while this one finds the other: two cores, half the time.

What is found reaches this process through the cache, where it would have been kept anyway. A process that cannot be
started, or that fails, costs time and nothing else: what is not kept is found here, with the error if there is one.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tracer.errors import TracerError
from tracer.survey import processes


@contextmanager
def ahead(work: Callable[[], object]) -> Iterator[None]:
    """Let `work` run beside the body, where a core is free for it; both have ended when this ends."""
    if processes() < 2 or multiprocessing.current_process().daemon:
        yield
        return
    other = multiprocessing.get_context("fork").Process(target=_quietly, args=(work,), daemon=True)
    other.start()
    try:
        yield
        other.join()
    finally:
        if other.is_alive():  # the body was interrupted
            other.terminate()
            other.join()


def _quietly(work: Callable[[], object]) -> None:
    """Do `work`; what is wrong with the sources or the cache is said by the process that asks next."""
    try:
        work()
    except (TracerError, KeyboardInterrupt):
        return
