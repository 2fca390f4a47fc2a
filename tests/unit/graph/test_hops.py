"""Links backwards: all that end in a function, and those that begin it as a thread or task."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import Edges
from tracer.graph.hops import Hops
from tracer.graph.uses import Uses

CODE = """
import asyncio
import queue
import threading

class Worker:
    def __init__(self):
        self.inbox = queue.Queue()
        threading.Thread(target=self.loop).start()
        self.pool.submit(lambda: step(self))

    def loop(self):
        self.inbox.get()

    def put(self, item):
        self.inbox.put(item)

    async def begin(self):
        asyncio.create_task(self.tick())

    async def tick(self):
        step(self)

def step(worker): ...
"""


def test_what_is_started_is_told_without_who_feeds_it() -> None:
    found = world(a_py=CODE)
    hops = Hops(Edges(Uses(found)))

    def links(name: str) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
        (sym,) = found.functions(name)
        every, started = hops.into(sym), hops.started(sym)
        return tuple({(found.symbol(k.source), k.kind, k.basis) for k in side} for side in (every, started))  # type: ignore[return-value]

    every, started = links("Worker.loop")
    assert ("a.Worker.put", "thread", "declared") in every
    assert started == {("a.Worker.__init__", "thread", "exact")}
    assert ("a.Worker.begin", "async", "exact") in links("Worker.tick")[1]
    assert links("step")[1] == links("step")[0] == {
        ("a.Worker.__init__", "thread", "exact"),
        ("a.Worker.tick", "call", "exact"),
    }  # fmt: skip
