"""Bindings: what a Python call runs in native code, by the name that the native code gives out."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

CPP = """
    namespace kv {
    void record(int k) {}
    int take() { return 1; }
    void swap_many(int k) {}
    void bind(Module& m, Library& ops) {
      m.def("record_now", &record);
      m.def("take_all", []() { auto n = take(); return n; });
      ops.impl("swap_many", BOXED(&swap_many));
    }
    }
"""


def bound(python: str):
    w = world(n_cpp=CPP, u_py=python)
    return {(e.source, e.target) for e in edges_of(w) if e.kind == "binding" and e.source.startswith("u.")}


def test_pointers_lambdas_and_boxed_functions_are_what_runs():
    python = """
        import torch
        def go(m):
            m.record_now(1)
            m.take_all()
        def op():
            torch.ops.space.swap_many(1)
    """
    assert bound(python) == {("u.go", "kv::record"), ("u.go", "kv::take"), ("u.op", "kv::swap_many")}


def test_a_class_that_takes_in_native_methods_is_left_through_its_own_ones():
    python = """
        class Ops:
            def record_now(self, k): ...
            def take_in(self, module):
                for name in dir(module):
                    setattr(self, name, getattr(module, name))
        class Plain:
            def record_now(self, k): ...
            def fill(self):
                setattr(self, "x", 1)
        def go(o: Ops):
            o.record_now(1)
        def stay(p: Plain):
            p.record_now(1)
    """
    assert bound(python) == {("u.go", "kv::record")}


def test_an_operator_registered_from_python_is_reached_by_its_name_only_as_an_operator():
    python = """
        import torch
        def copy_layer(x): ...
        register_custom_op(op_name="copy_layer_op", op_func=copy_layer)
        def go():
            torch.ops.space.copy_layer_op(1)
        def other(x):
            x.copy_layer_op(1)
    """
    assert bound(python) == {("u.go", "u.copy_layer")}


def test_a_native_function_that_is_handed_over_is_run_too():
    python = """
        import asyncio
        class Store:
            def __init__(self, module):
                self.native = module
            async def save(self):
                await asyncio.to_thread(self.native.record_now, 1)
            async def other(self):
                await asyncio.to_thread(self.native.unknown, 1)
    """
    assert bound(python) == {("u.Store.save", "kv::record")}
