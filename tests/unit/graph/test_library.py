"""What the standard library calls back."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import Edges, edges_of
from tracer.graph.uses import Uses

WORLD = world(
    log_py="""
    import logging

    class Plain(logging.Formatter):
        def format(self, record):
            return ""

    def make(name) -> logging.Logger:
        return logging.getLogger(name)
    """,
    a_py="""
    from log import make

    logger = make(__name__)

    class Key:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            return True

    class Store:
        def __init__(self):
            self.map = {}

        def info(self, text):
            pass

        def find(self, key: Key):
            return self.map.get(key)

        def has(self, key: Key):
            if key in self.map:
                return True

        def text(self, key: str):
            return self.map.get(key)

    def go():
        logger.info("x")

    def other(s: Store):
        s.info("x")
    """,
)


def test_a_log_call_runs_the_packages_formatter_and_a_method_called_info_does_not() -> None:
    found = {e.source for e in edges_of(WORLD) if e.target == "log.Plain.format"}
    assert found == {"a.go"}


def test_a_look_up_hashes_and_compares_its_key() -> None:
    found = {(e.source, e.target) for e in edges_of(WORLD) if e.target.startswith("a.Key.")}
    assert found == {
        (f"a.Store.{source}", f"a.Key.{target}") for source in ("find", "has") for target in ("__hash__", "__eq__")
    }


def test_searches_do_not_follow_them() -> None:
    edges = Edges(Uses(WORLD))
    (go,) = WORLD.functions("a.go")
    assert not [link for link in edges.out_of(go) if edges.edge(link).target == "log.Plain.format"]
