"""Generated methods and forwarded attributes: what stands behind names that no class defines."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

GENERATED = """
    from typing import Callable, Protocol
    class Contract(Protocol):
        def save(self, k): ...
        def close(self): ...
    class Wire:
        def submit(self, name): ...
    class Client(Contract):
        def __init__(self, wire: Wire):
            self.wire = wire
        def close(self): ...
        def pass_on(self, name):
            return self.wire.submit(name)
    def make(name) -> Callable:
        def invoke(self: Client, *args):
            return self.pass_on(name)
        return invoke
    for n in names():
        setattr(Client, n, make(n))
    def go(c: Contract):
        c.save(1)
    def end(c: Contract):
        c.close()
"""


def test_a_generated_method_is_reached_through_its_contract_and_so_is_what_it_passes_on_to():
    edges = {(e.source, e.target, e.kind) for e in edges_of(world(a_py=GENERATED))}
    for target in ("a.make.invoke", "a.Client.pass_on", "a.Wire.submit"):
        assert ("a.go", target, "dynamic") in edges
        assert ("a.end", target, "dynamic") not in edges
    assert ("a.end", "a.Client.close", "dynamic") in edges


def test_a_class_that_forwards_unknown_attributes_has_those_of_what_it_wraps():
    code = """
        class Worker:
            def run(self): ...
            def stop(self): ...
        class Wrapper:
            def __init__(self, worker: Worker):
                self.worker = worker
            def __getattr__(self, name):
                return getattr(self.worker, name)
            def stop(self): ...
        def go(w: Wrapper):
            w.run()
            w.stop()
    """
    edges = {(e.source, e.target) for e in edges_of(world(a_py=code))}
    assert ("a.go", "a.Worker.run") in edges
    assert ("a.go", "a.Wrapper.stop") in edges
    assert ("a.go", "a.Worker.stop") not in edges


def test_a_native_method_called_by_its_bare_name_may_be_an_override():
    cpp = """
        class Base {
         public:
          void loop() { step(); }
          virtual void step() {}
        };
        template <typename T> class Middle : public Base {};
        class Disk : public Middle<int> { public: void step() override {} };
    """
    edges = {(e.source, e.target, e.basis) for e in edges_of(world(a_cpp=cpp))}
    assert ("Base::loop", "Disk::step", "inherited") in edges
