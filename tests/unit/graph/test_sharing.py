"""One object in fields of several objects: what is put in here is taken out there."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

CODE = """
    import queue, threading
    class Base(threading.Thread):
        def __init__(self, name, inbox=None):
            super().__init__()
            self.inbox: queue.Queue[int] = inbox or queue.Queue()
        def run(self):
            self.inbox.get()
    class Receiver(Base):
        def __init__(self, inbox):
            super().__init__("r", inbox=inbox)
    class Owner:
        def __init__(self):
            self.requests = queue.Queue[int]()
            self.stop = threading.Event()
            self.thread = Receiver(self.requests)
            self.other = Other(self.stop)
        def ask(self, k):
            self.requests.put(k)
        def close(self):
            self.stop.set()
    class Other:
        def __init__(self, stopped):
            self.stopped = stopped
        def loop(self):
            self.stopped.wait()
        def tell(self):
            self.stopped.set()
        def unrelated(self, stopped):
            stopped.wait()
    class Waiter:
        def __init__(self, owner: Owner):
            self.owner = owner
        def loop(self):
            self.owner.stop.wait()
"""


def test_queues_and_events_are_followed_to_the_objects_they_are_given_to_and_back():
    edges = {(e.source, e.target, e.kind) for e in edges_of(world(a_py=CODE)) if e.kind in ("thread", "state")}
    assert ("a.Owner.ask", "a.Base.run", "thread") in edges
    assert ("a.Owner.close", "a.Other.loop", "thread") in edges
    assert ("a.Other.tell", "a.Waiter.loop", "thread") in edges
    assert not any(target == "a.Other.unrelated" for _, target, _ in edges)


def test_an_event_is_followed_from_record_to_record():
    code = """
        from typing import NamedTuple
        class Done(NamedTuple):
            start: object
            finish: object
        class Ack(NamedTuple):
            finish: object
            key: int
        class Engine:
            def submit(self, make):
                begin, end = make(), make()
                end.record()
                return Done(begin, end)
        class Control:
            def __init__(self, engine: Engine):
                self.engine = engine
                self.acks: list[Ack] = []
            def go(self, make):
                done = self.engine.submit(make)
                self.acks.append(Ack(finish=done.finish, key=1))
            def check(self):
                for ack in self.acks:
                    ack.finish.query()
    """
    edges = {(e.source, e.target) for e in edges_of(world(a_py=code)) if e.kind == "device"}
    assert ("a.Engine.submit", "a.Control.check") in edges
