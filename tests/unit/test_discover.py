"""Discover proposes roles by the shape of state alone."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.discover import Discover

CODE = """
    import enum, time
    class Phase(enum.Enum):
        NEW = 1
        DONE = 2
    class Row:
        phase: Phase
        users: int = 0
        until: float = 0.0
    class Table:
        def __init__(self):
            self.rows: dict[str, Row] = {}
            self.ready = []
        def add(self, key, row: Row):
            self.rows[key] = row
        def ask(self, key):
            return self.rows.get(key)
        def drop(self, key, row: Row):
            if row.users == 0:
                del self.rows[key]
        def enter(self, row: Row):
            row.users += 1
            row.until = time.monotonic() + 1
        def leave(self, row: Row):
            row.users -= 1
            row.phase = Phase.DONE
        def stale(self, row: Row):
            return row.until < time.monotonic()
        def report(self, key):
            self.ready.append(key)
        def poll(self):
            return self.ready.pop()
"""


def test_each_shape_of_state_proposes_its_role():
    found = {(s.role, s.action, s.first) for s in Discover(world(t_py=CODE)).sites()}
    assert {
        ("publish", "commit", 14),
        ("publish", "unpublish", 19),
        ("lookup", "query", 16),
        ("protection", "acquire", 21),
        ("protection", "release", 24),
        ("protection", "expire", 27),
        ("request_state", "transition", 25),
        ("completion", "signal", 29),
        ("completion", "observe", 31),
    } <= found


def test_a_counter_that_nobody_tests_protects_nothing():
    code = """
        class C:
            n: int = 0
            def up(self):
                self.n += 1
            def down(self):
                self.n -= 1
    """
    assert Discover(world(c_py=code)).sites() == []
