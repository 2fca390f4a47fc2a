"""Edges: calls with how sure they are, and what crosses threads, tasks, callbacks, RPC, bindings and shared state."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def found(w):
    return {(e.source, e.target, e.kind) for e in edges_of(w)}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("threading.Thread(target=self.loop).start()", "thread"),
        ("self.pool.submit(self.loop, 1)", "thread"),
        ("asyncio.create_task(self.loop())", "async"),
        ("asyncio.run_coroutine_threadsafe(self.loop(), x)", "async"),
        ("fut.add_done_callback(self.loop)", "callback"),
        ("register(self.loop)", "callback"),
        ("self.loop()", "call"),
    ],
)
def test_a_function_handed_over_is_reached_by_what_runs_it(body, kind):
    text = (
        "import asyncio, threading\nclass A:\n    def loop(self, n=0): ...\n"
        f"    def go(self, fut, register, x):\n        {body}\n"
    )
    assert ("a.A.go", "a.A.loop", kind) in found(world(a_py=text))


def test_virtual_calls_fan_out_to_every_override_and_say_so():
    text = """
        class Base:
            def run(self): ...
        class One(Base):
            def run(self): ...
        class Two(Base):
            def run(self): ...
        def go(b: Base):
            b.run()
    """
    edges = {(e.target, e.kind, e.basis) for e in edges_of(world(a_py=text)) if e.source == "a.go"}
    assert {("a.One.run", "dynamic", "inherited"), ("a.Two.run", "dynamic", "inherited")} <= edges


def test_an_unresolved_call_stays_in_the_graph_as_such():
    edges = [e for e in edges_of(world(a_py="def go(x):\n    x.unknown_thing()\n")) if e.source == "a.go"]
    assert [(e.target, e.basis) for e in edges] == [("x.unknown_thing", "unresolved")]


def test_a_container_filled_here_and_drained_there_joins_the_two():
    text = """
        class S:
            def __init__(self):
                self.done = set()
            def report(self, k):
                self.done.add(k)
            def poll(self, k):
                self.done.discard(k)
    """
    assert ("a.S.report", "a.S.poll", "state") in found(world(a_py=text))


def test_rpc_by_member_pointer_and_binding_by_name():
    cpp = """
        namespace kv {
        class Service { public: int Put(int k) { return k; } };
        class Stub {
          int Put(int k) { return invoke_rpc<&Service::Put, int>(k); }
        };
        class Engine { public: int push(int k) { return k; } };
        void bind(Module& m) {
          py::class_<Engine>(m, "Engine").def("push_now", &Engine::push);
        }
        }
    """
    python = """
        class User:
            def __init__(self, n):
                self.n = n
            def go(self):
                self.n.push_now(1)
    """
    edges = found(world(s_cpp=cpp, u_py=python))
    assert ("kv::Stub::Put", "kv::Service::Put", "rpc") in edges
    assert ("u.User.go", "kv::Engine::push", "binding") in edges


def test_edges_are_the_same_in_every_run():
    text = "class A:\n    def f(self): self.g()\n    def g(self): self.f()\n"
    assert list(edges_of(world(a_py=text))) == list(edges_of(world(a_py=text)))
