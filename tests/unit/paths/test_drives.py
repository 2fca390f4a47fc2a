"""Drives: backwards from a site to the loops, handlers and public functions that reach it, with guards on the way."""

from __future__ import annotations

import pytest

from tests.unit.worlds import joined, world
from tracer.graph.edges import Edges
from tracer.graph.hops import Hops
from tracer.graph.uses import Uses
from tracer.graph.world import World
from tracer.paths.drives import Driven, Drives
from tracer.paths.stations import Stations
from tracer.render import reach

CODE = """
    import threading
    from web import app

    class Pool:
        def __init__(self):
            self.queue = []
            self.free = 0
            threading.Thread(target=self.loop).start()
        def loop(self):
            while True:
                if self.free < 3:
                    self.sweep(force=True)
        def sweep(self, force):
            for block in self.blocks:
                if not block.busy:
                    self.drop(block)
        def drop(self, block):
            if block is None:
                return
            self.free += 1
        def fill(self, block):
            self.queue.append(block)
        def drain(self):
            self.drop(self.queue.pop())
        def _unused(self):
            self.drop(None)

    pool = Pool()

    @app.post("/sweep")
    def on_sweep():
        pool.sweep(force=False)

    def test_helper_is_live(): ...
"""


def ask(made: World, name: str, **options) -> Driven:
    hops = Hops(Edges(Uses(made)))
    (found,) = Drives(hops, Stations(hops, lambda role: ())).of(name, **options)
    return found


def shown(found: Driven) -> dict[str, list[str]]:
    return {f"{p.name}: {p.steps[0].symbol}": [s.symbol.rsplit(".", 1)[-1] for s in p.steps[1:]] for p in found.entries}


@pytest.fixture(scope="module")
def pool():
    return world(pool_py=CODE)


def test_loops_handlers_public_and_unused_functions_are_told_apart(pool):
    assert shown(ask(pool, "Pool.drop")) == {
        "handler @app.post: pool.on_sweep": ["sweep", "drop"],
        "nobody here calls it: pool.Pool._unused": ["drop"],
        "public API: pool.Pool.drain": ["drop"],
        "thread loop: pool.Pool.loop": ["sweep", "drop"],
    }


def test_what_fills_a_container_does_not_drive_what_drains_it(pool):
    assert "fill" not in str(shown(ask(pool, "Pool.drop")))


def test_the_conditions_of_every_call_and_of_the_line_itself_are_read(pool):
    found = ask(pool, "pool.py:20")
    assert found.site.symbol == "pool.Pool.drop"
    assert found.site.guards == ("not (block is None)",)
    (loop,) = [p for p in found.entries if p.name == "thread loop"]
    assert [s.from_line for s in loop.steps] == [8, 12, 16]
    assert loop.steps[1].guards == ("while True", "if self.free < 3")
    assert loop.steps[2].guards == ("for block in self.blocks", "if not block.busy")
    text = "\n".join(reach.drives([found]))
    assert "thread loop: pool.Pool.loop  pool.py:9  started at pool.py:8" in text
    assert "under " in text and "under " not in "\n".join(reach.drives([found], guards=False))


def test_a_limit_of_entries_is_said(pool):
    found = ask(pool, "Pool.drop", most=1)
    assert len(found.entries) == 1 and found.limit
    assert "more may follow" in "\n".join(reach.drives([found]))


def test_an_override_is_reached_through_its_base_and_across_repositories():
    made = joined(
        core={"core.py": "class Base:\n    def save(self): ...\n\ndef run(one: Base):\n    one.save()\n"},
        plug={"plug.py": "from core import Base\n\nclass Mine(Base):\n    def save(self): ...\n"},
    )
    found = ask(made, "Mine.save")
    assert shown(found) == {"public API: core.run": ["save"]}
    assert found.entries[0].steps[1].basis == "inherited"


def test_json_gives_each_entry_its_steps_and_guards(pool):
    document = reach.drives_json([], [ask(pool, "Pool.drop")])
    entry = next(e for e in document["sites"][0]["entries"] if e["kind"] == "thread loop")
    assert [s["symbol"] for s in entry["steps"]] == ["pool.Pool.loop", "pool.Pool.sweep", "pool.Pool.drop"]
    assert all("guards" in s for s in entry["steps"])


def test_an_rpc_handler_and_its_remote_callers_in_cpp():
    made = world(
        m_cpp="""
            struct Service { int End(int k) { return mark(k); } int mark(int k) { return k; } };
            struct Client {
              int invoke(int k);
              int End(int k) { return invoke_rpc<&Service::End>(k); }
            };
            int main() { Client c; return c.End(1); }
        """
    )
    found = ask(made, "Service::mark")
    assert {p.name for p in found.entries} == {"rpc handler"}
    assert found.entries[0].steps[0].from_line == 4


LOOPS = """
    import threading

    class Engine:
        def __init__(self, fast):
            self.step_fn = self.step if fast else self.slow
            threading.Thread(target=self.run).start()
        def run(self):
            if self.fast:
                self.loop_fast()
            else:
                self.loop_plain()
        def loop_fast(self):
            while True:
                self.take()
                self.step_fn()
        def loop_plain(self):
            while not self.stopped:
                self.prepare()
        def prepare(self):
            self.step()
        def step(self):
            self.settle()
        def slow(self): ...
        def take(self):
            for one in self.many:
                one.done = True
        def settle(self): ...

    class Client:
        def __init__(self):
            self.engine = Engine(True)
        def get(self):
            return self.engine.step_fn()
        def work(self):
            while self.unfinished():
                self.get()
"""


def test_each_loop_that_reaches_the_site_is_told_and_what_a_field_holds_is_called_where_it_is_called() -> None:
    found = shown(ask(world(engine_py=LOOPS), "Engine.settle"))
    assert found["public API: engine.Client.work"] == ["get", "step", "settle"]
    assert found["loop: engine.Engine.loop_plain"] == ["prepare", "step", "settle"]
    assert found["thread: engine.Engine.run"] == ["loop_fast", "step", "settle"]
    assert not [k for k in found if k.startswith("loop") and "plain" not in k]
