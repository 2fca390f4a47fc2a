"""Paths: the surest way wins, crossings are named, and a way that stops says where and why."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.errors import UsageError
from tracer.graph.edges import Edges
from tracer.graph.uses import Uses
from tracer.paths import Paths
from tracer.render import diagram

CODE = """
    import threading, queue
    class Server:
        def __init__(self):
            self.jobs = queue.Queue()
            threading.Thread(target=self.loop).start()
        def ask(self, job):
            self.jobs.put(job)
        def loop(self):
            while True:
                self.work(self.jobs.get_nowait())
        def work(self, job):
            finish(job)
            job.mystery()
    def finish(job): ...
    def alone(): ...
"""


@pytest.fixture
def paths():
    return Paths(Edges(Uses(world(a_py=CODE))))


def test_a_path_goes_through_a_queue_and_names_it(paths):
    (found,) = paths.between("Server.ask", "finish")
    assert [(s.symbol, s.edge) for s in found.steps] == [
        ("a.Server.ask", ""),
        ("a.Server.loop", "thread"),
        ("a.Server.work", "call"),
        ("a.finish", "call"),
    ]
    assert found.end == "complete"
    assert found.steps[1].from_line == 7


def test_no_path_ends_where_it_stops_and_says_why(paths):
    (found,) = paths.between("Server.ask", "alone")
    assert found.end.startswith("no way found")
    assert found.steps[-1].symbol in ("a.finish", "a.Server.work")


def test_an_unknown_name_is_a_usage_error_with_near_names(paths):
    with pytest.raises(UsageError) as error:
        paths.between("Server.aks", "finish")
    assert "ask" in str(error.value)


@pytest.mark.parametrize("form", ["text", "mermaid", "dot"])
def test_drawings_name_every_step_and_escape_markup(paths, form):
    found = paths.between("Server.ask", "finish")
    drawn = diagram.render(found, form)
    for name in ("ask", "loop", "work", "finish"):
        assert name in drawn
    assert "<script>" not in diagram.render(
        [found[0].__class__("n", "t", (found[0].steps[0].__class__("<script>", "f.py", 1),), "complete")], "mermaid"
    )
