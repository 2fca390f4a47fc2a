"""Results that travel back to callers: only what was drained or observed, marked as such, and through few functions."""

from __future__ import annotations

import json

from tests.unit.worlds import world
from tracer.graph.edges import Edges, edges_of
from tracer.graph.uses import Uses
from tracer.render.graphs import write

CODE = """
    class Store:
        def __init__(self):
            self.done = []
            self.names = {}
        def drain(self):
            out, self.done = self.done, []
            taken = self.done.pop()
            return [taken]
        def name(self, k):
            return self.names[k]
        def drop(self):
            self.done.pop()
    class Front:
        def __init__(self, store: Store):
            self.store = store
        def poll(self):
            found = self.store.drain()
            kept = []
            for f in found:
                kept.append(f)
            return kept
        def unrelated(self):
            self.store.drain()
            return 3
        def label(self):
            return self.store.name(1)
    def loop(front: Front):
        results = front.poll()
        print(results)
        front.unrelated() + 1
"""


def returned(w):
    return {(e.source, e.target) for e in edges_of(w) if e.via == "return"}


def test_what_is_drained_travels_to_the_caller_and_on_but_not_through_a_function_that_drops_it():
    assert returned(world(a_py=CODE)) == {
        ("a.Store.drain", "a.Front.poll"),
        ("a.Front.poll", "a.loop"),
    }


def test_the_results_of_one_function_are_found_without_the_rest_of_the_world():
    w = world(a_py=CODE)
    edges = Edges(Uses(w))
    drain = next(s for s in w.defined("drain"))
    assert {w.symbol(link.target) for link in edges.returns(drain)} == {"a.Front.poll"}
    assert list(edges.returns(next(s for s in w.defined("name")))) == []


def test_a_returning_edge_says_so_in_json_and_a_call_does_not():
    rows = [json.loads(line) for line in write(edges_of(world(a_py=CODE)), "jsonl")]
    assert {r.get("via") for r in rows} == {None, "return"}
    assert all("via" not in r for r in rows if r["source"] == "a.Front.poll" and r["target"] == "a.Store.drain")


def test_native_code_that_empties_a_buffer_hands_it_to_its_caller():
    cpp = """
        struct Buffer {
          std::vector<int> take() { std::vector<int> out; out.swap(this->items); return out; }
          std::vector<int> items;
        };
        int count(Buffer& b) { auto got = b.take(); return got.size(); }
    """
    assert ("Buffer::take", "count") in returned(world(b_cpp=cpp))
