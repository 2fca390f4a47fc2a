"""Paths: the surest way wins, crossings are named, and a way that stops says where and why."""

from __future__ import annotations

import pytest

from tests.unit.worlds import joined, world
from tracer.errors import UsageError
from tracer.graph.edges import Edges
from tracer.graph.hops import Hops
from tracer.graph.uses import Uses
from tracer.graph.world import World
from tracer.model import Path, Site
from tracer.paths.follow import Paths
from tracer.paths.routes import Route, Station
from tracer.rules import Text

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
            anything[0].mystery()
    def finish(job): ...
    def alone(): ...
    def mystery(): alone()
"""

ENGINE = {
    "engine/base.py": """
        class Connector:
            def save(self): ...
    """,
    "engine/worker.py": """
        from engine.base import Connector
        class Worker:
            def __init__(self, connector: Connector):
                self.connector = connector
            def step(self):
                self.connector.save()
            def idle(self): ...
    """,
}
CACHE = {
    "cache/near.py": """
        from engine.base import Connector
        from cache.store import Index
        class Near(Connector):
            def __init__(self, index: Index):
                self.index = index
            def save(self):
                self.index.insert(1)
    """,
    "cache/far.py": """
        from engine.base import Connector
        from cache.store import Index
        class Far(Connector):
            def __init__(self, index: Index):
                self.index = index
            def save(self):
                self.first()
            def first(self):
                self.index.insert(2)
    """,
    "cache/store.py": """
        class Index:
            def insert(self, key):
                self.map[key] = 1
    """,
}


def paths_in(made: World, sites=()) -> Paths:
    return Paths(Hops(Edges(Uses(made))), lambda role: sites)


def symbols(path: Path) -> list[str]:
    return [s.symbol.rsplit(".", 2)[-2] + "." + s.symbol.rsplit(".", 1)[-1] for s in path.steps]


@pytest.fixture
def paths():
    return paths_in(world(a_py=CODE))


@pytest.fixture
def both():
    return joined(engine=ENGINE, cache=CACHE)


def station(what: str = "", **given) -> Station:
    return Station(Text(what), **given)


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


def test_no_path_goes_to_the_call_that_may_be_the_missing_one_and_says_why(paths):
    (found,) = paths.between("Server.ask", "alone")
    assert found.end.startswith("stops: alone was not reached")
    assert found.steps[-1].symbol == "a.Server.work"
    assert "`anything[0].mystery` at a.py:13" in found.end


def test_without_a_clue_it_stops_at_the_start(paths):
    (found,) = paths.between("finish", "Server.ask")
    assert [s.symbol for s in found.steps] == ["a.finish"]
    assert found.end.startswith("stops: Server.ask was not reached from here; 1 functions")


def test_an_unknown_name_is_a_usage_error_with_near_names(paths):
    with pytest.raises(UsageError) as error:
        paths.between("Server.aks", "finish")
    assert "ask" in str(error.value)


def test_a_place_names_the_function_around_it(paths):
    (found,) = paths.between("a.py:7", "finish")
    assert found.steps[0].symbol == "a.Server.ask"
    with pytest.raises(UsageError):
        paths.between("a.py:1", "finish")


def test_one_path_crosses_repositories_by_import_and_override(both):
    (found,) = paths_in(both).between("Worker.step", "Index.insert")
    assert symbols(found) == ["Worker.step", "Near.save", "Index.insert"]
    assert [s.engine for s in found.steps] == ["engine", "cache", "cache"]
    assert (found.steps[1].edge, found.steps[1].basis, found.steps[1].others) == ("dynamic", "inherited", 2)


def test_choosing_an_implementation_shuts_the_others(both):
    (found,) = paths_in(both).between("Worker.step", "Index.insert", choices=[("Connector", ["Far"])])
    assert symbols(found) == ["Worker.step", "Far.save", "Far.first", "Index.insert"]
    with pytest.raises(UsageError, match="no class and no registered name 'Farr'"):
        paths_in(both).between("Worker.step", "Index.insert", choices=[("Connector", ["Farr"])])


def test_an_implementation_may_be_chosen_by_the_name_it_is_registered_under():
    registry = 'from engine.registry import register\nregister("away", "cache.far", "Far")\n'
    made = joined(engine=ENGINE, cache={**CACHE, "cache/__init__.py": registry})
    (found,) = paths_in(made).between("Worker.step", "Index.insert", choices=[("Connector", ["away"])])
    assert "Far.first" in symbols(found)


def test_the_next_best_path_is_another_one(both):
    found = paths_in(both).between("Worker.step", "Index.insert", count=2)
    assert [symbols(p)[1] for p in found] == ["Near.save", "Far.save"]


def test_what_must_be_passed_is_passed(both):
    (found,) = paths_in(both).between("Worker.step", "Index.insert", through=["Far.first"])
    assert symbols(found) == ["Worker.step", "Far.save", "Far.first", "Index.insert"]


SITE = Site(
    "cache.publish.x", "publish", "commit", "host", "cache.store.Index.insert", "cache/store.py", 2, 3, 3, "", "typed"
)
SAVE = Route(
    "engine.save", "save", ("engine", "cache"), Text("Saved", "存"),
    (
        station("asked", caller=("Connector.save",), engine=("engine",)),
        station("connector", interface=("Connector.save",), engine=("cache",)),
        station("published", role="publish", action=("commit",), layer=("host",)),
    ),
)  # fmt: skip


def test_a_named_path_meets_its_stations_in_order(both):
    (found,) = paths_in(both, [("cache", SITE)]).along(SAVE)
    assert symbols(found) == ["Worker.step", "Near.save", "Index.insert"]
    assert [s.mark for s in found.steps] == ["asked", "connector", "published"]
    assert (found.name, found.title, found.end) == ("engine.save", "Saved", "complete")


def test_a_named_path_with_a_station_that_is_not_there_stops_before_it(both):
    (found,) = paths_in(both).along(SAVE)
    assert symbols(found) == ["Worker.step", "Far.save"]
    assert found.end == "stops: nothing here is the next way-point (published)"


def test_files_to_avoid_are_not_entered(both):
    from dataclasses import replace

    (found,) = paths_in(both, [("cache", SITE)]).along(replace(SAVE, avoid=("cache/near.py",)))
    assert symbols(found)[1:3] == ["Near.save", "Index.insert"]  # a station may lie in such a file
    only = replace(SAVE, way=(SAVE.way[0], SAVE.way[2]), avoid=("cache/near.py",))
    (found,) = paths_in(both, [("cache", SITE)]).along(only)
    assert symbols(found)[1] == "Far.save"


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (station(state=("Index.map",), op=("insert",)), {"cache.store.Index.insert"}),
        (station(interface=("Connector.save",), on=("Far",)), {"cache.far.Far.save"}),
        (station(interface=("Connector.save",), files=("cache/n*.py",)), {"cache.near.Near.save"}),
        (station(interface=("Connector.save",), not_files=("cache/**",)), {"engine.base.Connector.save"}),
        (station(caller=("Connector.save",)), {"engine.worker.Worker.step"}),
    ],
)
def test_stations_by_state_interface_class_file_and_caller(both, given, want):
    paths = paths_in(both)
    assert {both.symbol(s) for s in paths.stations.of(given)} == want


def test_a_station_by_entry_is_what_a_thread_runs():
    made = world(a_py=CODE)
    found = paths_in(made).stations.of(station(entry="thread", files=("a.py",)))
    assert {made.symbol(s) for s in found} == {"a.Server.loop"}


def test_a_station_by_entry_is_what_is_called_back():
    made = world(
        a_py="""
        def on_end(): ...
        def give(f): f()
        def main():
            give(on_end)
        """
    )
    found = paths_in(made).stations.of(station(entry="callback", files=("a.py",)))
    assert {made.symbol(s) for s in found} == {"a.on_end"}


def test_a_function_named_for_a_failure_is_no_step_of_the_main_way():
    made = world(
        a_py="""
        def free(): ...
        def clean_up(): free()
        def release_failed(): free()
        def finish(): clean_up()
        def load():
            release_failed()
            finish()
        """
    )
    (found,) = paths_in(made).between("load", "free")
    assert [s.symbol for s in found.steps] == ["a.load", "a.finish", "a.clean_up", "a.free"]


def test_a_coroutine_is_reached_by_the_task_that_runs_it_not_by_the_call_that_makes_it():
    made = world(
        a_py="""
        import asyncio
        async def pull(): ...
        def plain(): ...
        class Worker:
            def start(self, loop):
                asyncio.run_coroutine_threadsafe(pull(), loop)
                plain()
        """
    )
    (found,) = paths_in(made).between("Worker.start", "pull")
    assert [s.edge for s in found.steps[1:]] == ["async"]
    (found,) = paths_in(made).between("Worker.start", "plain")
    assert [s.edge for s in found.steps[1:]] == ["call"]


def test_kept_links_give_the_same_answer_and_nothing_new_to_keep(both):
    first = Hops(Edges(Uses(both)))
    before = Paths(first).between("Worker.step", "Index.insert", count=2)
    packed = first.pack()
    assert packed is not None
    again = Hops(Edges(Uses(joined(engine=ENGINE, cache=CACHE))), packed)
    assert Paths(again).between("Worker.step", "Index.insert", count=2) == before
    assert again.pack() is None


def test_a_rule_files_choice_that_is_not_there_leaves_the_fan_out_open_and_a_users_overrides_it(both):
    from dataclasses import replace

    paths = paths_in(both, [("cache", SITE)])
    gone = replace(SAVE, choose=(("Connector", ("Elsewhere",)), ("Nowhere", ("Near",))))
    assert symbols(paths.along(gone)[0])[1] == "Near.save"
    near = replace(SAVE, choose=(("Connector", ("Near",)),))
    assert symbols(paths.along(near, choices=[("Connector", ["Far"])])[0])[1] == "Far.save"
