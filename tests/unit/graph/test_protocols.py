"""A receiver that is declared as a protocol may be any class that keeps it."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of
from tracer.graph.world import World


def _edges(w: World) -> set[tuple[str, str, str]]:
    return {(e.source, e.target, e.kind) for e in edges_of(w) if e.basis != "unresolved"}


STORES = """
    from typing import Protocol

    class Store(Protocol):
        def take(self, key): ...
        def give(self, key): ...

    class Single(Protocol):
        def take(self, key): ...

    class Memory:
        def take(self, key):
            return key

        def give(self, key):
            return key

    class Disk(Memory):
        def give(self, key):
            return key

    class Half:
        def take(self, key):
            return key
"""


def test_every_class_that_has_all_members_may_be_meant_also_one_that_inherits_some() -> None:
    w = world(
        a_py=STORES,
        b_py="""
        from a import Store

        class User:
            def __init__(self, store: Store):
                self.store: Store = store

            def work(self):
                self.store.give(1)
                self.store.take(1)
    """,
    )
    found = {(t, k) for s, t, k in _edges(w) if s == "b.User.work"}
    assert {("a.Memory.give", "dynamic"), ("a.Disk.give", "dynamic"), ("a.Memory.take", "dynamic")} <= found


def test_a_class_that_lacks_a_member_is_not_meant() -> None:
    w = world(
        a_py=STORES,
        b_py="""
        from a import Store

        def work(store: Store):
            store.take(1)
    """,
    )
    assert "a.Half.take" not in {t for s, t, _ in _edges(w) if s == "b.work"}


def test_a_protocol_of_one_method_says_too_little() -> None:
    w = world(
        a_py=STORES,
        b_py="""
        from a import Single

        def work(store: Single):
            store.take(1)
    """,
    )
    assert {t for s, t, _ in _edges(w) if s == "b.work"} == {"a.Single.take"}


def test_a_plain_class_is_no_protocol() -> None:
    w = world(
        a_py=STORES.replace("class Store(Protocol)", "class Store"),
        b_py="""
        from a import Store

        def work(store: Store):
            store.give(1)
    """,
    )
    assert {t for s, t, _ in _edges(w) if s == "b.work"} == {"a.Store.give"}
