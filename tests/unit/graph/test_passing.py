"""Hand-offs through the functions around a container, subscribers, and callables that are kept until they are due."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def found(w, *kinds):
    return {(e.source, e.target, e.kind) for e in edges_of(w) if e.kind in kinds and not e.via}


def test_who_gives_and_who_gets_are_joined_beyond_the_functions_that_touch_the_container():
    code = """
        class Box:
            def __init__(self):
                self.items = []
            def add(self, x):
                self.items.append(x)
            def take(self):
                kept, self.items = self.items, []
                return kept
            def note(self):
                self.items.append(1)
        class Maker:
            def __init__(self, box: Box):
                self.box = box
            def make(self, k):
                self.box.add(k)
        class User:
            def __init__(self, box: Box):
                self.box = box
            def use(self):
                for x in self.box.take():
                    print(x)
            def tidy(self):
                self.box.note()
    """
    edges = found(world(a_py=code), "state", "thread")
    assert ("a.Maker.make", "a.User.use", "state") in edges
    assert ("a.Maker.make", "a.Box.take", "state") in edges
    assert ("a.Box.add", "a.User.use", "state") in edges
    assert not any(source == "a.User.tidy" for source, _, _ in edges)  # it gives nothing of its own


def test_a_native_buffer_reaches_the_python_function_that_drains_it_through_a_binding():
    cpp = """
        struct Buffer {
          void push(int k) { items.push_back(k); }
          std::vector<int> drain() { std::vector<int> out; out.swap(items); return out; }
          std::vector<int> items;
          std::mutex mu;
        };
        void on_done(Buffer& b, int k) { b.push(k); }
        std::vector<int> drain_all(Buffer& b) { auto got = b.drain(); return got; }
        void bind(Module& m) { m.def("drain_all", &drain_all); }
    """
    python = "def loop(native):\n    for x in native.drain_all():\n        print(x)\n"
    edges = found(world(b_cpp=cpp, l_py=python), "state", "thread")
    assert ("on_done", "l.loop", "thread") in edges  # a lock guards it, so more than one thread is meant


def test_who_tests_for_an_element_reads_what_is_handed_off_but_an_index_is_no_hand_off():
    code = """
        class S:
            def __init__(self):
                self.done = set()
                self.known = {}
            def report(self, k):
                self.done.add(k)
                self.known[k] = 1
            def check(self, k):
                if k in self.done:
                    return 1
            def forget(self, k):
                self.done.discard(k)
            def has(self, k):
                return k in self.known
    """
    edges = found(world(a_py=code), "state")
    assert ("a.S.report", "a.S.check", "state") in edges
    assert ("a.S.report", "a.S.forget", "state") in edges
    assert ("a.S.report", "a.S.has", "state") not in edges


def test_subscribers_are_called_back_and_parts_of_an_object_are_not():
    code = """
        class Listener:
            def on_done(self): ...
        class Store(Listener):
            def on_done(self): ...
        class Source:
            def __init__(self):
                self.listeners: list[Listener] = []
                self.parts: list[Listener] = [Store()]
            def register(self, x: Listener):
                self.listeners.append(x)
            def finish(self):
                for x in self.listeners:
                    x.on_done()
            def close(self):
                for p in self.parts:
                    p.on_done()
    """
    edges = found(world(a_py=code), "callback", "dynamic")
    assert ("a.Source.finish", "a.Store.on_done", "callback") in edges
    assert ("a.Source.close", "a.Store.on_done", "callback") not in edges
    assert ("a.Source.close", "a.Store.on_done", "dynamic") in edges


def test_a_callable_kept_in_a_table_s_record_is_what_was_registered():
    code = """
        from typing import Any, Callable
        from dataclasses import dataclass
        Handler = Callable[[Any], None]
        @dataclass
        class Entry:
            handler: Handler
            times: int
        class Table:
            def __init__(self):
                self.entries: dict[str, Entry] = {}
            def register(self, kind: str, handler: Handler):
                self.entries[kind] = Entry(handler=handler, times=0)
            def run(self, kind, payload):
                entries = dict(self.entries)
                entry = entries.get(kind)
                entry.handler(payload)
        class Owner:
            def finished(self, p): ...
            def start(self, t: Table):
                t.register("done", self.finished)
    """
    assert ("a.Table.run", "a.Owner.finished", "callback") in found(world(a_py=code), "callback")
