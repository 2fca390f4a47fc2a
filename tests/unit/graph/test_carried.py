"""Events and hand-offs that travel: through one-line waits, and in the records that are made with them."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def edges(w, *kinds):
    return {(e.source, e.target, e.kind) for e in edges_of(w) if e.kind in kinds}


def test_an_event_recorded_here_and_waited_for_through_a_one_line_wait():
    text = """
        class Layers:
            def __init__(self, n):
                self.events = [Event() for _ in range(n)]
            def done(self, i):
                self.events[i].record()
            def wait(self, i):
                stream().wait_event(self.events[i])
        class Counter:
            def __init__(self):
                self.layers = Layers(3)
            def until(self, i):
                if i < 0:
                    return
                self.layers.wait(i)
    """
    found = edges(world(a_py=text), "device")
    assert found == {("a.Layers.done", "a.Layers.wait", "device"), ("a.Layers.done", "a.Counter.until", "device")}


def test_an_event_travels_in_the_records_that_are_made_with_it():
    text = """
        from typing import Any, NamedTuple
        class Done(NamedTuple):
            first: Any
            finish: Any
        class Ack(NamedTuple):
            finish: Any
        class Engine:
            def submit(self):
                start, finish = pair()
                done = Done(start, finish)
                finish.record()
                return done
        class Control:
            def __init__(self):
                self.engine = Engine()
                self.acks: list[Ack] = []
            def begin(self):
                done = self.engine.submit()
                self.acks.append(Ack(finish=done.finish))
            def check(self):
                for ack in self.acks:
                    if ack.finish.query():
                        return True
    """
    assert ("a.Engine.submit", "a.Control.check", "device") in edges(world(a_py=text), "device")


def test_a_condition_variable_crosses_threads_and_another_one_does_not_join():
    text = """
        namespace kv {
        class Pool {
            std::condition_variable ready_;
            std::condition_variable idle_;
            void push() { ready_.notify_one(); }
            void run() { ready_.wait(lock); }
            void drain() { idle_.wait(lock); }
        };
        }
    """
    assert edges(world(a_cpp=text), "thread", "device") == {("kv::Pool::push", "kv::Pool::run", "thread")}


def test_a_named_tuple_taken_apart_still_holds_its_event():
    text = """
        from typing import NamedTuple
        class Ack(NamedTuple):
            start: object
            finish: object
        class Control:
            def __init__(self):
                self.acks: list[Ack] = []
            def begin(self):
                finish = make()
                finish.record()
                self.acks.append(Ack(make(), finish))
            def check(self):
                start, finish = self.acks.pop(0)
                finish.synchronize()
    """
    assert ("a.Control.begin", "a.Control.check", "device") in edges(world(a_py=text), "device")
