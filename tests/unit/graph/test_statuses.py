"""Shared status: who sets it and who decides by it."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def state(w):
    return {(e.source, e.target) for e in edges_of(w) if e.kind == "state"}


CPP = """
    namespace kv {
    enum class Phase { OPEN, DONE };
    class Object {
     public:
        std::chrono::system_clock::time_point lease_;
        Phase phase_;
        int size_;
        void grant() { lease_ = later(); size_ = 3; }
        void finish() { phase_ = Phase::DONE; }
        bool expired() const { return now() >= lease_; }
        bool big() const { return size_ > 8; }
    };
    class Master {
        std::atomic<int> pending_;
        void evict(Object& o) {
            if (o.expired()) { drop(o); }
        }
        int count(Object& o) { int n = 0; n += 1; n += 2; n += o.size_; return n; }
        void add() { pending_.fetch_add(1); }
        void loop() {
            while (pending_.load() > 0) { step(); }
        }
    };
    }
"""


def test_a_deadline_an_enum_and_an_atomic_join_who_sets_them_with_who_tests_them():
    found = state(world(a_cpp=CPP))
    assert ("kv::Object::grant", "kv::Master::evict") in found  # through the one-line predicate
    assert ("kv::Object::grant", "kv::Object::expired") in found
    assert ("kv::Master::add", "kv::Master::loop") in found


def test_a_plain_number_is_data_and_no_status():
    assert not {pair for pair in state(world(a_cpp=CPP)) if pair[1] in ("kv::Object::big", "kv::Master::count")}


def test_python_constants_of_a_class_are_a_status():
    text = """
        class Poll:
            DONE = 1
        class Manager:
            def __init__(self):
                self.status = {}
                self.size = {}
            def conclude(self, room):
                self.status[room] = Poll.DONE
                self.size[room] = 4
            def check(self, room):
                if self.status[room] == Poll.DONE:
                    return True
            def measure(self, room):
                if self.size[room] > 3:
                    return True
    """
    found = state(world(a_py=text))
    assert ("a.Manager.conclude", "a.Manager.check") in found
    assert ("a.Manager.conclude", "a.Manager.measure") not in found


def test_a_counter_raised_by_a_compiler_s_builtin_is_seen_by_who_reads_it_to_decide():
    text = """
        namespace kv {
        struct Task { uint64_t done; uint64_t size; };
        class Slice { Task* task; void ok() { __atomic_fetch_add(&task->done, 1, __ATOMIC_RELAXED); task->size = 1; } };
        class Engine {
            int look(Task& task) {
                uint64_t done = task.done;
                uint64_t size = task.size;
                if (done == size) { return 1; }
                return 0;
            }
        };
        }
    """
    edges = [e for e in edges_of(world(a_cpp=text)) if e.kind == "state"]
    assert {(e.source, e.target) for e in edges} == {("kv::Slice::ok", "kv::Engine::look")}
