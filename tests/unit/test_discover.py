"""Discover proposes roles by the shape of state alone."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.discover import Discover, bound

CODE = """
    import enum, threading, time
    class Phase(enum.Enum):
        NEW = 1
        MOVING = 2
        DONE = 3
    class Row:
        phase: Phase
        users: int = 0
        until: float = 0.0
    class Table:
        def __init__(self):
            self.rows: dict[str, Row] = {}
            self.ready = []
            self.thread = threading.Thread(target=self.report)
        def add(self, key, row: Row):
            self.rows[key] = row
        def ask(self, key):
            return self.rows.get(key)
        def drop(self, key, row: Row):
            if row.users == 0:
                del self.rows[key]
        def enter(self, row: Row):
            row.users += 1
            row.until = time.monotonic() + 1; row.phase = Phase.MOVING
        def leave(self, row: Row):
            row.users -= 1
            row.phase = Phase.DONE
        def stale(self, row: Row):
            return row.until < time.monotonic() and row.phase is Phase.NEW
        def report(self, key):
            self.ready.append(key)
        def poll(self):
            return self.ready.pop()
"""


def test_each_shape_of_state_proposes_its_role():
    found = {(s.role, s.action, s.first) for s in Discover(world(t_py=CODE)).sites()}
    assert {
        ("publish", "commit", 16),
        ("publish", "unpublish", 21),
        ("lookup", "query", 18),
        ("protection", "acquire", 23),
        ("protection", "release", 26),
        ("protection", "expire", 29),
        ("request_state", "transition", 27),
        ("completion", "signal", 31),
        ("completion", "observe", 33),
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


def test_a_proposal_says_why():
    why = {(s.role, s.action): s.why for s in Discover(world(t_py=CODE)).sites()}
    assert "Table.rows is what ask looks up" in why["publish", "commit"]
    assert "Row.users goes up and down" in why["protection", "release"]


def test_the_list_is_bounded_and_the_best_come_first():
    every = Discover(world(t_py=CODE)).ranked("protection")
    assert len(every) > 2
    assert [c.score for c in every] == sorted((c.score for c in every), reverse=True)
    few = Discover(world(t_py=CODE)).sites(["protection"], limit=1)
    assert len(few) == bound("protection", 1) < len(every)


def test_a_caller_is_proposed_with_what_it_calls():
    more = CODE + """
    class Front:
        def __init__(self, table: Table):
            self.table = table
        def finish(self, key, row: Row):
            self.table.add(key, row)
    """
    said = [s for s in Discover(world(t_py=more)).sites(["publish"]) if s.symbol.endswith("Front.finish")]
    assert [(s.action, s.via) for s in said] == [("commit", ("t.Table.add",))]


def test_other_states_that_a_function_changes_are_named_too() -> None:
    text = """\
    class Cache:
        def __init__(self):
            self.packed = {}
            self.hot = {}

        def store(self, key, chunk):
            self.packed[key] = chunk
            self.hot[key] = chunk

        def get(self, key):
            if key in self.packed:
                return self.packed[key]
            return self.hot.get(key)

        def drop(self, key):
            self.packed.pop(key)
            self.hot.pop(key)
    """
    sites = Discover(world(t_py=text)).sites(["publish"])
    found = [s for s in sites if s.symbol.endswith("Cache.store")]
    assert found
    assert all("Cache.packed" in s.why and "Cache.hot" in s.why for s in found)
