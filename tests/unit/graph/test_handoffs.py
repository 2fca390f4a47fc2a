"""Hand-offs: who fills a field and who drains it, and what lies between them."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def edges(w, *kinds):
    return {(e.source, e.target, e.kind) for e in edges_of(w) if e.kind in kinds}


QUEUE = """
    from queue import Queue
    class Base:
        def __init__(self):
            self.todo = Queue()
            self.acks = [Queue() for _ in range(4)]
            self.seen = {}
            for q in self.acks:
                threading.Thread(target=self.worker, args=(q, 1)).start()
        def loop(self):
            job = self.todo.get(block=True, timeout=1)
        def worker(self, q: Queue, n):
            q.get()
        def look(self):
            return self.seen.get("k")
    class Sub(Base):
        def put(self, job):
            self.todo.put(job)
            self.acks[0].put(job)
            self.seen["k"] = job
            self.fill(self.todo, job)
        def fill(self, q: Queue, job):
            q.put(job)
"""


def test_a_queue_joins_threads_also_through_a_base_class_and_what_a_thread_is_started_with():
    found = edges(world(a_py=QUEUE), "thread")
    assert ("a.Sub.put", "a.Base.loop", "thread") in found
    assert ("a.Sub.put", "a.Base.worker", "thread") in found


def test_the_get_of_a_map_drains_nothing():
    assert not {t for _, t, _ in edges(world(a_py=QUEUE), "state", "thread") if t == "a.Base.look"}


def test_a_helper_that_is_given_the_queue_drains_it_for_its_caller():
    text = """
        from queue import Queue
        class C:
            def __init__(self):
                self.hits = Queue()
            def report(self, x):
                self.hits.put(x)
        class Owner:
            def __init__(self):
                self.control = C()
            def drain(self):
                def all_of(q: Queue):
                    while not q.empty():
                        yield q.get()
                control = self.control
                for x in all_of(control.hits):
                    print(x)
    """
    assert edges(world(a_py=text), "thread") == {
        ("a.C.report", "a.Owner.drain", "thread"),
        ("a.C.report", "a.Owner.drain.all_of", "thread"),
    }


def test_a_container_drained_on_a_thread_is_shared_state_and_a_crossing_of_threads():
    text = """
        namespace kv {
        class Pool {
            std::unordered_map<int, std::vector<int>> jobs_[4];
            std::vector<std::thread> workers_;
            std::vector<int> log_;
            void start() { workers_.emplace_back(std::thread(std::bind(&Pool::run, this))); }
            void run() { step(); }
            void step() {
                for (auto &entry : jobs_[1]) { entry.second.clear(); }
            }
            void submit(int k) { jobs_[0][k].push_back(k); log_.push_back(k); }
            void flush() { log_.clear(); }
        };
        }
    """
    found = edges(world(a_cpp=text), "state", "thread")
    assert {k for s, t, k in found if (s, t) == ("kv::Pool::submit", "kv::Pool::step")} == {"state", "thread"}
    assert {k for s, t, k in found if (s, t) == ("kv::Pool::submit", "kv::Pool::flush")} == {"state"}


def test_one_function_sees_the_same_hand_offs_as_the_whole_graph():
    from tracer.graph.edges import Edges
    from tracer.graph.uses import Uses

    w = world(a_py=QUEUE)
    one = Edges(Uses(w))
    alone = {one.edge(x) for s in w.functions("Sub.put") for x in one.out_of(s)}
    assert alone == {e for e in edges_of(world(a_py=QUEUE)) if e.source == "a.Sub.put"}


def test_what_is_filled_is_drained_where_a_record_carries_it_to():
    text = """
        from dataclasses import dataclass
        @dataclass
        class Walk:
            pending: list
        @dataclass
        class Step:
            actions: list
        class Core:
            def visit(self, walk: Walk):
                walk.pending.append(1)
            def step(self, walk: Walk) -> Step:
                return Step(actions=walk.pending)
        class Owner:
            def __init__(self):
                self.core = Core()
            def go(self, walk: Walk):
                step = self.core.step(walk)
                self.apply(step.actions)
            def apply(self, actions):
                while actions:
                    actions.pop()
    """
    assert ("a.Core.visit", "a.Owner.apply", "state") in edges(world(a_py=text), "state")


def test_a_field_is_the_same_through_an_accessor_that_stands_for_its_object():
    text = """
        namespace kv {
        struct Shard { std::unordered_set<std::string> busy; };
        class Access { public: Shard* operator->() { return shard_; } Shard* shard_; };
        class Master {
            void start(Access& a) { a->busy.insert("k"); }
            void sweep(Shard& s) { s.busy.erase("k"); }
        };
        }
    """
    assert ("kv::Master::start", "kv::Master::sweep", "state") in edges(world(a_cpp=text), "state")


def test_fields_of_one_name_in_unrelated_classes_are_drained_apart():
    found = edges(
        world(
            a_py="""
            class Near:
                def __init__(self):
                    self.todo = []
                def fill(self, x):
                    self.todo.append(x)
                def drain(self):
                    self.todo.pop()
            class Far:
                def __init__(self):
                    self.todo = []
                def fill(self, x):
                    self.todo.append(x)
                def drain(self):
                    self.todo.clear()
            """
        ),
        "state",
    )
    assert found == {("a.Near.fill", "a.Near.drain", "state"), ("a.Far.fill", "a.Far.drain", "state")}
