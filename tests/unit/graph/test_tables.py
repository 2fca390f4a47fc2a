"""Dispatch tables: a call of a table may reach what was put in, and nothing else."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

BODY = """
from library import Dispatcher
class Server:
    def __init__(self):
        %s
    def on_put(self, r): ...
    def on_get(self, r): ...
    def other(self, r): ...
    def go(self, r):
        %s
"""


@pytest.mark.parametrize(
    ("made", "called"),
    [
        ("self.table = Dispatcher([(Put, self.on_put), (Get, self.on_get)])", "self.table(r)"),
        ("self.table = {Put: self.on_put, Get: self.on_get}", "self.table[type(r)](r)"),
        ("self.table = {Put: self.on_put, Get: self.on_get}", "f = self.table.get(r.kind)\n        f(r)"),
        (
            "self.table = {}\n        self.table['p'] = self.on_put\n        self.table['g'] = self.on_get",
            "self.table[r.kind](r)",
        ),
    ],
)
def test_a_call_of_a_table_reaches_what_was_put_in(made, called):
    edges = [e for e in edges_of(world(a_py=BODY % (made, called))) if e.source == "a.Server.go"]
    assert {"a.Server.on_put", "a.Server.on_get"} <= {e.target for e in edges if e.kind == "dynamic"}
    assert "a.Server.other" not in {e.target for e in edges}


def test_a_map_that_is_only_read_is_no_table():
    w = world(a_py=BODY % ("self.table = {Put: self.on_put}", "return self.table.get(r)"))
    assert not [e for e in edges_of(w) if e.source == "a.Server.go" and e.target.startswith("a.Server.on")]
