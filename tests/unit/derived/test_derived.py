"""Each derivation on invented code: what it means, and the look-alike that it must not mean."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.cues import CueMatcher
from tracer.derived.selectors import SHAPES, STATES, Selectors
from tracer.graph.uses import Uses
from tracer.graph.world import World


def selectors(w: World) -> Selectors:
    return CueMatcher(Uses(w)).derived


def names(w: World, selector: str) -> set[str]:
    s = selectors(w)
    return {s.table.name(key) for key in s.states(selector)}


def lines(w: World, shape: str) -> set[int]:
    return {m.line for m in selectors(w).shape(shape)}


SHELF = """
    class Shelf:
        def __init__(self):
            self.rows: dict[str, int] = {}
            self.staged: dict[str, dict[str, int]] = {}
            self.kept: dict[str, int] = {}
        def stage(self, key, tag, row):
            self.staged.setdefault(key, {})[tag] = row
            self.kept[key] = row
        def _take(self, key):
            per_tag = self.staged[key]
            return per_tag.pop("w")
        def admit(self, key):
            row = self._take(key)
            self.rows[key] = row
        def ask(self, key):
            return self.rows.get(key)
        def drop(self, key):
            self.rows.pop(key)
"""


def test_an_index_is_asked_filled_and_removed_from():
    assert names(world(a_py=SHELF), "index_of_lookup") == {"Shelf.rows"}


def test_staging_is_found_through_an_alias_and_a_helper():
    assert "Shelf.staged" in names(world(a_py=SHELF), "staging_of_index")
    assert "Shelf.kept" not in names(world(a_py=SHELF), "staging_of_index")


def test_a_container_that_its_reader_empties_is_no_index():
    code = """
        class Box:
            def __init__(self):
                self.rows: dict[str, int] = {}
            def put(self, k, v):
                self.rows[k] = v
            def take(self, k):
                if k in self.rows:
                    return self.rows.pop(k)
                return None
    """
    assert names(world(a_py=code), "index_of_lookup") == set()


CPP = """
    #include <chrono>
    #include <map>
    #include <string>
    enum class State { kStart, kReady };
    struct Row {
        State state = State::kStart;
        int holders = 0;
        bool held() const { return holders > 0; }
        bool usable() const { return state == State::kReady; }
    };
    class Shelf {
       public:
        void Add(const std::string& k, Row r) { rows_.emplace(k, r); }
        Row* Ask(const std::string& k) {
            auto it = rows_.find(k);
            if (it == rows_.end()) return nullptr;
            return &it->second;
        }
        void Evict(const std::string& k) {
            auto it = rows_.find(k);
            if (it->second.held()) return;
            rows_.erase(it);
        }
        void Enter(Row& r) { r.holders++; }
        void Leave(Row& r) { r.holders--; }
       private:
        std::map<std::string, Row> rows_;
    };
"""


def test_cpp_the_guard_of_a_removal_is_walked_through_its_predicate():
    w = world(a_cpp=CPP)
    assert names(w, "index_of_lookup") == {"Shelf.rows_"}
    assert names(w, "guard_of_removal") == {"Row.holders"}


def test_the_predicate_of_a_lookup_is_a_switch_not_any_number():
    code = """
        class Row:
            def __init__(self):
                self.open = False
                self.size = 0
        class Shelf:
            def __init__(self):
                self.rows: dict[str, Row] = {}
            def put(self, k):
                self.rows[k] = Row()
            def ask(self, k):
                row = self.rows.get(k)
                if row.open and row.size > 3:
                    return row
                return None
            def grow(self, k, n):
                self.rows[k].size = n
            def unlock(self, k):
                self.rows[k].open = True
            def drop(self, k):
                del self.rows[k]
    """
    assert names(world(a_py=code), "predicate_of_lookup") == {"Row.open"}


def test_a_hand_over_needs_one_side_that_runs_on_its_own():
    code = """
        import threading
        class A:
            def __init__(self):
                self.done = []
                self.plain = []
                self.t = threading.Thread(target=self.run)
            def run(self):
                self.done.append(1)
            def fill(self):
                self.plain.append(1)
            def poll(self):
                self.plain.pop()
                return self.done.pop()
    """
    assert names(world(a_py=code), "handed_over") == {"A.done"}


def test_an_event_joins_through_the_local_that_is_stored():
    code = """
        class A:
            def __init__(self):
                self.events = {}
            def start(self, k, make):
                event = make()
                event.record()
                self.events[k] = event
            def ready(self, k):
                return self.events[k].query()
            def alone(self, make):
                event = make()
                event.record()
    """
    w = world(a_py=code)
    assert lines(w, "signals") == {6}
    assert lines(w, "waits") == {9}


def test_a_status_field_gets_members_of_one_enumeration():
    code = """
        import enum
        class Phase(enum.Enum):
            A = 1
            B = 2
            C = 3
        class Job:
            phase: Phase = Phase.A
            label: str = ""
        def go(job: Job):
            job.phase = Phase.B
            job.label = "x"
        def end(job: Job):
            if job.phase is Phase.B:
                job.phase = Phase.C
    """
    assert names(world(a_py=code), "status_field") == {"Job.phase"}
    assert lines(world(a_py=code), "status_enum") == {2}


def test_the_compilers_atomics_count():
    code = """
        struct Task { int done = 0; int total = 0; };
        void Finish(Task* task) { __sync_fetch_and_add(&task->done, 1); }
        bool AllDone(Task* task) { return task->done == task->total; }
    """
    assert names(world(a_cpp=code), "tally") == {"Task.done"}


def test_every_selector_that_rules_may_name_exists():
    s = selectors(world(a_py=SHELF))
    assert all(s.states(name) is not None for name in STATES)
    assert all(list(s.shape(name)) is not None for name in SHAPES)
