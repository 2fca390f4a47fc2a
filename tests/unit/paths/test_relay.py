"""Relay: producers and consumers joined by the field they share; exits that send nothing; loops that send often."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.graph.edges import Edges
from tracer.graph.hops import Hops
from tracer.graph.uses import Uses
from tracer.paths.relay import Carrier, Relay, places_of_state
from tracer.paths.stations import Stations
from tracer.paths.tallies import compares
from tracer.render import reach

CODE = """
    import queue

    class Worker:
        def __init__(self):
            self.finished: set[str] = set()
            self.results = queue.Queue()
            self.seen = {}
        def copy(self, request, ok):
            if not ok:
                return
            self.check(request)
            self.results.put(request)
        def copy_all(self, requests):
            for request in requests:
                self.results.put(request)
        def check(self, request): ...
        def poll(self):
            while not self.results.empty():
                self.finished.add(self.results.get_nowait())
        def take(self):
            done, self.finished = self.finished, set()
            return done
        def remember(self, key):
            self.seen[key] = 1
"""


@pytest.fixture(scope="module")
def made():
    return world(w_py=CODE)


def ask(made, name: str) -> dict[str, Carrier]:
    hops = Hops(Edges(Uses(made)))
    found = Relay(hops).of(Stations(hops, lambda role: ()).places(name))
    return {c.name.rsplit(".", 1)[-1]: c for c in found}


def names(hands) -> list[str]:
    return [h.symbol.rsplit(".", 1)[-1] for h in hands]


def test_a_field_joins_who_fills_it_with_who_takes_from_it(made):
    found = ask(made, "Worker.poll")
    assert set(found) == {"results", "finished"}
    assert names(found["results"].producers) == ["copy", "copy_all"]
    assert names(found["results"].consumers) == ["poll"]
    assert names(found["finished"].producers) == ["poll"]
    assert names(found["finished"].consumers) == ["take"]


def test_one_carrier_follows_another_where_its_consumer_fills_that(made):
    found = ask(made, "Worker.poll")
    assert found["results"].onward == ("w.Worker.finished",)
    assert found["finished"].onward == ()


def test_exits_that_send_nothing_are_named_with_their_conditions(made):
    copy, copy_all = ask(made, "Worker.poll")["results"].producers
    ((line, kind, guards),) = copy.skips
    assert (line, kind) == (10, "return") and "not ok" in guards[-1]
    assert copy.many == ""
    assert (copy_all.many, copy_all.skips) == ("for request in requests", ())


def test_how_many_arrive_is_said_by_senders_loops_and_what_the_carrier_does_with_repeats(made):
    found = ask(made, "Worker.poll")
    assert found["results"].holds == "a queue: each arrives"
    assert reach.arrivals(found["results"]) == "many: 2 senders, 1 of them in a loop; each arrives"
    assert found["finished"].holds == "a set: repeats for one request merge"
    text = "\n".join(reach.relay(list(found.values())))
    assert "none on return in line 10, if not ok" in text
    assert "  then    w.Worker.finished" in text


def test_a_line_names_only_its_own_carrier_and_a_field_without_a_taker_is_none(made):
    assert set(ask(made, "w.py:15")) == {"results"}
    assert ask(made, "Worker.remember") == {}


def test_an_event_is_a_carrier_by_its_methods():
    found = ask(
        world(
            e_py="""
                import threading
                class Job:
                    def __init__(self):
                        self.over = threading.Event()
                    def run(self):
                        self.over.set()
                    def join(self):
                        self.over.wait()
            """
        ),
        "Job.run",
    )
    assert names(found["over"].producers) == ["run"]
    assert names(found["over"].consumers) == ["join"]
    assert found["over"].holds == "a flag: repeats merge"


def test_json_has_the_same(made):
    document = reach.relay_json([], list(ask(made, "Worker.poll").values()))
    results = next(c for c in document["carriers"] if c["name"].endswith("results"))
    assert [p["symbol"] for p in results["producers"]] == ["w.Worker.copy", "w.Worker.copy_all"]
    assert results["producers"][0]["skips"][0]["line"] == 10
    assert "skips" not in results["consumers"][0]


TALLY = """
    class Receiver:
        def __init__(self):
            self.seen: dict[str, set[int]] = {}
            self.expected: dict[str, int] = {}
            self.state: dict[str, int] = {}
            self.mode = "on"
        def begin(self, key, ranks):
            self.expected[key] = ranks
        def arrive(self, key, rank, kind):
            if kind == self.mode:
                self.seen[key].add(rank)
                wanted = self.expected[key]
                arrived = len(self.seen[key])
                if arrived == wanted:
                    self.state[key] = 1
        def poll(self, key):
            return self.state.pop(key)
        def drop(self, key):
            self.seen.pop(key)
"""


def test_what_is_counted_before_the_signal_is_a_carrier_with_the_test_that_says_how_many() -> None:
    hops = Hops(Edges(Uses(world(a_py=TALLY))))
    sym = hops.world.functions("Receiver.arrive")[0]
    found = {c.name.rpartition(".")[2]: c for c in Relay(hops).of([(sym, 15, 15, "signal")])}
    assert set(found) == {"seen", "expected", "state"}
    assert [(line, test) for _, _, line, test in found["seen"].until] == [(14, "arrived == wanted")]
    assert found["expected"].until == found["seen"].until
    assert found["state"].until == ()
    assert [h.symbol for h in found["expected"].producers] == ["a.Receiver.begin"]


@pytest.mark.parametrize(
    ("test", "counts"),
    [
        ("self.count[key] == 0", True), ("len(done) == len(all)", True), ("meta->sent >= meta->want", True),
        ("arrived == expected", True), ("status == Poll.DONE", False), ("it->second", False), ("x is None", False),
        ("name == 'a < b'", False), ("not self.done", False), ("std::get<int>(x)", False),
    ],
)  # fmt: skip
def test_comparisons_of_amounts(test: str, counts: bool) -> None:
    assert compares(test) is counts


def test_a_state_is_asked_for_by_its_name() -> None:
    hops = Hops(Edges(Uses(world(a_py=TALLY))))
    found = {c.name.rpartition(".")[2] for c in Relay(hops).of(places_of_state(hops, "Receiver.expected"))}
    assert found == {"expected"}
    assert list(places_of_state(hops, "Receiver.arrive")) == list(places_of_state(hops, "a.py:7")) == []
