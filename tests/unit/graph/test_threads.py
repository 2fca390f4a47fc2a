"""What a lambda or function handed over is run by."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def kinds(w, source, target):
    return sorted(e.kind for e in edges_of(w) if (e.source, e.target) == (source, target))


CPP = """
    namespace kv {
    class Store { public: int save(int k) { return k; } };
    class Visitor { public: void each(const std::function<void()>& f) { f(); } };
    class Owner {
        Store store_;
        Visitor visitor_;
        ThreadPool pool_;
        std::vector<std::thread> workers_;
        std::function<int()> later_;
        void loop() {}
        void go() {
            %s
        }
    };
    }
"""


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("store_.save(1);", ["call"]),
        ("visitor_.each([this] { store_.save(1); });", ["call", "callback"]),
        ("std::thread t([this] { store_.save(1); });", ["thread"]),
        ("workers_.emplace_back([this] { store_.save(1); });", ["thread"]),
        ("pool_.enqueue([this] {\n visitor_.each([this] { store_.save(1); });\n });", ["thread"]),
        ("auto job = [this] { store_.save(1); };\n pool_.enqueue(job);", ["thread"]),
        ("auto job = [this] { store_.save(1); };\n job();", ["call"]),
        ("later_ = [this] { return store_.save(1); };", ["call", "callback"]),
        ("auto found = std::find_if(a, b, [this](int k) { return store_.save(k); });", ["call"]),
    ],
)
def test_what_a_lambda_calls_is_reached_in_the_way_its_taker_runs_it(body, kind):
    assert kinds(world(a_cpp=CPP % body), "kv::Owner::go", "kv::Store::save") == kind


@pytest.mark.parametrize(
    "body",
    [
        "workers_.emplace_back(&Owner::loop, this);",
        "workers_.emplace_back(std::thread(std::bind(&Owner::loop, this)));",
    ],
)
def test_a_thread_made_in_place_runs_what_it_is_given(body):
    assert "thread" in kinds(world(a_cpp=CPP % body), "kv::Owner::go", "kv::Owner::loop")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("self.pool.submit(lambda: self.loop(1))", ["thread"]),
        ("self.each(lambda: self.loop(1))", ["call", "callback"]),
        ("sorted(x, key=lambda k: self.loop(k))", ["call"]),
        ("self.pool.submit(partial(self.loop, 1))", ["thread"]),
    ],
)
def test_python_lambdas_and_partials(body, kind):
    text = (
        "from functools import partial\nclass A:\n    def loop(self, n): ...\n    def each(self, f): ...\n"
        f"    def go(self, x):\n        {body}\n"
    )
    assert kinds(world(a_py=text), "a.A.go", "a.A.loop") == kind


def test_who_starts_a_thread_that_was_made_before_reaches_what_it_runs() -> None:
    w = world(
        a_py="""
        import threading

        class Loop:
            def __init__(self):
                self._thread = threading.Thread(target=self.body, daemon=True)

            def start(self):
                self._thread.start()

            def body(self):
                raise NotImplementedError

        class Own(Loop):
            def body(self):
                return 1

        def run(work):
            t = threading.Thread(target=helper)
            t.start()

        def helper():
            return 1

        class Engine:
            def __init__(self):
                self._motor = Motor()

            def start(self):
                self._motor.start()

        class Motor:
            def start(self):
                return 1
    """,
    )
    found = {(e.source, e.target, e.kind) for e in edges_of(w) if e.basis != "unresolved"}
    assert ("a.Loop.start", "a.Loop.body", "thread") in found
    assert ("a.Loop.start", "a.Own.body", "thread") in found
    assert {k for s, t, k in found if (s, t) == ("a.run", "a.helper")} == {"thread"}
    assert {k for s, _, k in found if s == "a.Engine.start"} == {"call"}


TIERS = """
    import asyncio
    from abc import ABC, abstractmethod

    class Tier(ABC):
        @abstractmethod
        async def put(self, key): ...

    class Disk(Tier):
        async def put(self, key): ...

    class Owner:
        def __init__(self, tier: Tier, loop, pool):
            self.tier, self.loop, self.pool = tier, loop, pool

        def send(self, key):
            asyncio.run_coroutine_threadsafe(self.tier.put(key), self.loop)

        def work(self, key):
            self.pool.submit(self.tier.put, key)
"""


def test_the_overrides_of_a_method_that_is_handed_over_may_run_in_its_place():
    w = world(a_py=TIERS)
    assert kinds(w, "a.Owner.send", "a.Disk.put") == ["async", "dynamic"]
    assert kinds(w, "a.Owner.work", "a.Disk.put") == ["thread"]
    assert {e.basis for e in edges_of(w) if (e.source, e.target) == ("a.Owner.work", "a.Disk.put")} == {"inherited"}
