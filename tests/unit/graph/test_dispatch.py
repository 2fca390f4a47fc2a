"""Kinds of calls: plain, dispatched at run time, or a function that was handed over."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def kinds(w, source, target):
    return sorted(e.kind for e in edges_of(w) if (e.source, e.target) == (source, target))


STORE = """
    class Base:
        def save(self): ...
        def close(self): ...
    class Disk(Base):
        def save(self): ...
"""


def test_a_call_on_an_object_whose_class_is_chosen_elsewhere_is_also_dynamic():
    w = world(a_py=STORE + "    def go(b: Base):\n        b.close()\n    def sure(d: Disk):\n        d.save()\n")
    assert kinds(w, "a.go", "a.Base.close") == ["call", "dynamic"]
    assert kinds(w, "a.sure", "a.Disk.save") == ["call"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("    def __init__(self):\n        self.put = self._plain\n", ["dynamic"]),
        ("    def __init__(self):\n        self.put = outside\n", ["callback"]),
    ],
)
def test_a_function_kept_in_a_field_is_a_choice_among_methods_or_a_callback(body, kind):
    methods = "    def _plain(self): ...\n    def go(self):\n        self.put()\n"
    text = "def outside(): ...\nclass A:\n" + body + methods
    target = "a.A._plain" if kind == ["dynamic"] else "a.outside"
    assert kinds(world(a_py=text), "a.A.go", target) == kind


def test_a_function_that_came_in_as_a_parameter_is_a_callback():
    text = "def done(): ...\ndef run(then):\n    then()\ndef go():\n    run(done)\n"
    assert kinds(world(a_py=text), "a.run", "a.done") == ["callback"]


def test_a_subclass_is_known_under_the_name_its_base_was_imported_as():
    base = "class Engine:\n    def step(self): ...\n    def go(self):\n        self.step()\n"
    sub = "from a import Engine as Plain\nclass Fast(Plain):\n    def step(self): ...\n"
    assert kinds(world(a_py=base, b_py=sub), "a.Engine.go", "b.Fast.step") == ["dynamic"]


def test_a_record_field_declared_as_object_has_the_type_it_is_made_with():
    text = """
        from dataclasses import dataclass
        class Cache:
            def drop(self): ...
        @dataclass
        class Built:
            size: int
            cache: object
        def build():
            return Built(1, cache=Cache())
        class Owner:
            def __init__(self):
                self.cache = build().cache
            def go(self):
                self.cache.drop()
    """
    assert kinds(world(a_py=text), "a.Owner.go", "a.Cache.drop") == ["call"]
