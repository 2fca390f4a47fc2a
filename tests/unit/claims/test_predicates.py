"""Every predicate on small invented code: where it holds, where it fails, and where it can only say unknown."""

from __future__ import annotations

from functools import cache
from textwrap import dedent

import pytest
import yaml

from tests.unit.worlds import world_of
from tracer.claims.check import Checker
from tracer.claims.load import claim_of
from tracer.errors import RuleError

STORE = """
    import os
    import time
    from enum import Enum
    LEASE = 5_000
    class Phase(Enum):
        NEW = 1
        READY = 2
    class Entry:
        size: int = 0
        def __init__(self):
            self.pins = 0
            self.until = 0.0
            self.limit = 30
    class Store:
        def __init__(self, ttl: float = 30.0):
            self.rows: dict[str, Entry] = {}
            self.staged: dict[str, Entry] = {}
            self.lock = Lock()
        def commit(self, key):
            entry = self.staged.pop(key)
            self.rows[key] = entry
        def hurry(self, key, entry: Entry):
            self.rows[key] = entry
            self.staged.pop(key)
        def many(self, keys):
            for key in keys:
                entry = self.staged.pop(key)
                if entry:
                    self.rows[key] = entry
                else:
                    continue
        def pin(self, key):
            entry = self.rows[key]
            if entry.until < time.monotonic():
                return
            entry.pins += 1
        def read(self, key):
            entry = self.rows[key]
            entry.pins += 1
            if not entry.size:
                return None
            entry.pins -= 1
            return entry
        def read_whole(self, key):
            entry = self.rows[key]
            self.lock.acquire()
            try:
                return entry.size
            finally:
                self.lock.release()
        def wait(self):
            return os.getenv("STORE_WAIT", "250")
    class Lock:
        def acquire(self): ...
        def release(self): ...
"""
DOOR = """
    from kv.store import Store
    class Door:
        def __init__(self, store: Store):
            self.store = store
            self.log: list[str] = []
        def put(self, key):
            self.log.append(key)
            self.store.commit(key)
        def close(self):
            self.log.clear()
"""
TEST = """
    from kv.store import Store
    def test_rows(store: Store):
        store.rows["x"] = None
        raise SystemExit
"""
LEASE = """
    // how long a reader may take
    static constexpr uint64_t DEFAULT_LEASE = 5000;
    #define UNUSED 1
    DEFINE_uint64(
        lease_ms, 5000, "milliseconds");
    inline bool wait() { constexpr int64_t patience = 60 * 1000; return patience > 0; }
    enum class Status { COMPLETE, FAILED };
"""


@cache
def checker() -> Checker:
    files = {"kv/store.py": STORE, "kv/door.py": DOOR, "kv/lease.h": LEASE}
    return Checker(world_of(files), "1.0")


def check(text: str, **more):
    item = {"id": "example.claim", "text": {"en": "e", "zh": "z"}} | yaml.safe_load(text) | more
    (found,) = checker().check([claim_of(item, "example", "x.yaml")])
    return found


def lines(found, part: str = "") -> list[tuple[str, int]]:
    return [(e.file, e.first) for e in found.evidence if not part or e.part == part]


def at(fragment: str, source: str = STORE) -> int:
    """The line of the only (or first) line of an invented file that holds `fragment`."""
    return next(n for n, line in enumerate(source.strip("\n").split("\n"), 1) if fragment in line)


def test_exists_counts_and_shows_the_lines():
    found = check("exists: {op: insert, state: Store.rows}")
    assert found.verdict == "holds"
    assert len(lines(found)) == 3
    assert all(e.digest for e in found.evidence)
    assert check('exists: {op: insert, state: Store.rows, count: "==2"}').why == "found 3, expected ==2"
    assert check('exists: {op: insert, state: Store.rows, count: "<=2"}').verdict == "fails"
    assert check("exists: {op: clear, state: Store.rows}").verdict == "fails"


def test_a_name_that_is_not_there_is_unknown_not_no():
    for predicate in ("exists", "absent"):
        found = check(f"{predicate}: {{op: insert, state: Stoer.rows}}")
        assert found.verdict == "unknown"
        assert "Store" in found.why
    assert "no file" in check("absent: {text: lease, in: [nowhere/*.py]}").why


def test_absent_says_what_was_searched():
    found = check("absent: {what: {op: clear, state: Store.rows}, near: {define: Store.rows}}")
    assert found.verdict == "holds"
    assert lines(found, "near") == [("kv/store.py", at("self.rows: dict"))]
    (search,) = found.searches
    assert (search.looked_for, search.files) == ("op clear of Store.rows", 3)
    assert check("absent: {op: remove, state: Store.staged}").verdict == "fails"
    assert check("absent: {what: {call: os.fork}, near: {define: Stor.rows}}").verdict == "unknown"
    assert check("absent: {define: Entry.salt}").verdict == "holds"


def test_text_reads_lines_but_no_comments():
    assert lines(check("exists: {text: DEFAULT_LEASE, in: [kv/*.h]}")) == [("kv/lease.h", 2)]
    assert check("absent: {text: reader may take, in: [kv/*.h]}").verdict == "holds"
    assert check("exists: {text: define UNUSED, in: [kv/*.h]}").verdict == "holds"


def test_only_in_and_writers_are():
    assert check("only_in: {what: {op: insert, state: Store.rows}, within: Store}").verdict == "holds"
    assert check("only_in: {what: {op: insert, state: Store.rows}, in: [kv/door.py]}").verdict == "fails"
    with_pop = "with: {op: remove, state: Store.staged}"
    assert check(f"only_in: {{what: {{op: insert, state: Store.rows}}, {with_pop}}}").verdict == "holds"
    found = check("only_in: {what: {op: augment, state: Entry.pins}, with: {op: read, state: Entry.until}}")
    assert found.verdict == "fails"
    assert found.why == "2 of 3 lie elsewhere"
    assert check("only_in: {what: {op: clear, state: Store.rows}, within: Store}").verdict == "unknown"
    assert check("writers_are: {state: Door.log, within: Door}").verdict == "holds"
    assert check("writers_are: {state: Door.log, with: {call: Store.commit}}").verdict == "fails"


def test_same_field_needs_every_use():
    assert check("same_field: {state: Entry.pins, does: [{op: augment+}, {op: augment-}]}").verdict == "holds"
    assert check("same_field: {state: Entry.pins, does: [{op: augment+}, {op: clear}]}").verdict == "fails"
    assert check("same_field: {state: Entry.pinz, does: [{op: augment+}, {op: clear}]}").verdict == "unknown"


def test_order_in_one_function_and_in_one_round():
    pop_then_insert = "order: {first: {op: remove, state: Store.staged%s}, then: {op: insert, state: Store.rows}}"
    found = check(pop_then_insert % "")
    assert found.verdict == "fails"
    assert "hurry" in found.why
    loops = "order: {first: {op: remove, state: Store.staged, guard: for}, then: {op: insert, state: Store.rows}}"
    assert check(loops).verdict == "holds"
    swapped = "order: {first: {op: insert, state: Store.rows, guard: for}, then: {op: remove, state: Store.staged}}"
    assert check(swapped).verdict == "fails"
    apart = "order: {first: {op: insert, state: Door.log}, then: {op: insert, state: Store.rows}}"
    assert check(apart).why == "no function does both"


RAISED, LOWERED = "{op: augment+, state: Entry.pins}", "{op: augment-, state: Entry.pins}"
LOGGED, UNLOGGED = "{op: insert, state: Door.log}", "{op: clear, state: Door.log}"
FILLED, EMPTIED = "{op: insert, state: Store.rows}", "{op: clear, state: Store.rows}"
LOCKED, UNLOCKED = "{call: Lock.acquire}", "{call: Lock.release}"
TESTED = "{op: read, state: Entry.until, test: true}"


def two(kind: str, first: str, then: str, names: tuple[str, str] = ("first", "then"), more: str = ""):
    return check(f"{kind}: {{{names[0]}: {first}, {names[1]}: {then}{more}}}")


def test_dominates():
    late = RAISED.replace("}", ", guard: until}")
    assert two("dominates", TESTED, late).verdict == "holds"
    assert two("dominates", TESTED, RAISED).verdict == "fails"  # `read` raises without it
    assert two("dominates", TESTED, EMPTIED).verdict == "unknown"


def test_followed_by_names_the_exit_that_misses():
    found = two("followed_by", RAISED.replace("}", ", not_guard: until}"), LOWERED)
    assert found.verdict == "fails"
    assert str(at("return None")) in found.why
    assert two("followed_by", LOCKED, UNLOCKED, more=", exceptions: true").verdict == "holds"
    assert two("followed_by", EMPTIED, UNLOCKED).verdict == "unknown"


def test_never_follows():
    early = "{mark: return, within: Store, guard: size}"
    assert two("never_follows", early, LOWERED).verdict == "holds"
    assert two("never_follows", RAISED, LOWERED).verdict == "fails"
    assert two("never_follows", EMPTIED, UNLOCKED).verdict == "unknown"


def test_guarded_by_text_and_by_a_test_of_state():
    def guarded(more: str):
        return check(f"guarded_by: {{what: {RAISED}, {more}}}")

    found = guarded("guard: until, some: true")
    assert found.verdict == "holds"
    assert ("kv/store.py", at("entry.until < time")) in lines(found, "guard")
    assert guarded("guard: until").verdict == "fails"
    assert guarded(f"by: {TESTED}, some: true").verdict == "holds"
    assert guarded(f"by: {TESTED}").why == "1 of 2 stand without that guard"
    assert guarded(f"by: {TESTED.replace('until', 'til')}").verdict == "unknown"


def test_reaches_shows_each_step():
    ends = ("from", "to")
    found = two("reaches", LOGGED, FILLED, ends)
    assert found.verdict == "holds"
    assert lines(found, "step: call to kv.store.Store.commit") == [("kv/door.py", at("self.store.commit", DOOR))]
    assert two("reaches", UNLOGGED, FILLED, ends).verdict == "fails"
    assert two("reaches", LOGGED.replace("log", "lag"), FILLED, ends).verdict == "unknown"
    assert two("not_reaches", LOGGED, FILLED, ends).verdict == "fails"
    assert two("not_reaches", UNLOGGED, FILLED, ends).verdict == "holds"
    assert two("not_reaches", UNLOGGED, EMPTIED, ends).verdict == "unknown"


PAIR = """
    - id: example.pairs.pins
      role: protection
      layer: host
      why: a pin that stays keeps its row for ever
      acquire: {op: augment+, state: Entry.pins}
      release: {op: augment-, state: Entry.pins}
      depth: 0
"""


def test_pairs_closed_takes_the_pair_at_its_word(tmp_path):
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "example.yaml").write_text(dedent(PAIR), encoding="utf-8")
    world = world_of({"kv/store.py": STORE})

    def closed(text: str):
        item = {"id": "example.claim", "text": {"en": "e", "zh": "z"}, "pairs_closed": yaml.safe_load(text)}
        (found,) = Checker(world, "1.0", (), (tmp_path,)).check([claim_of(item, "example", "x.yaml")])
        return found

    found = closed("{pair: example.pairs.pins}")
    assert found.verdict == "fails"
    assert ("kv/store.py", at("return None")) in lines(found, "exit: missing")
    assert closed("{pair: example.pairs.pins, missing: '>=1'}").verdict == "holds"
    assert closed("{pair: example.pairs.pin}").verdict == "unknown"
    assert closed("{pair: example.pairs.pins, in: [elsewhere/*]}").verdict == "unknown"


@pytest.mark.parametrize(
    ("predicate", "verdict"),
    [
        ("value_is: {of: Entry.limit, is: 30}", "holds"),
        ("value_is: {of: Entry.limit, is: 31}", "fails"),
        ("value_is: {of: Entry.limits, is: 30}", "unknown"),
        ("value_is: {of: store.LEASE, is: 5000}", "holds"),
        ("value_is: {of: LEASE, in: [kv/door.py], is: 5000}", "unknown"),
        ("value_is: {of: Phase.READY, is: 2}", "holds"),
        ("value_is: {parameter: Store.__init__.ttl, is: 30}", "holds"),
        ("value_is: {parameter: Store.__init__.ttl, matches: '^3'}", "holds"),
        ("value_is: {parameter: Store.__init__.ttl, is: 300}", "fails"),
        ("value_is: {setting: STORE_WAIT, in: [kv/**], is: 250}", "holds"),
        ("value_is: {setting: lease_ms, in: [kv/*.h], is: 5000}", "holds"),
        ("value_is: {setting: lease_s, in: [kv/*.h], is: 5000}", "unknown"),
        ("value_is: {of: DEFAULT_LEASE, in: [kv/*.h], is: 5000}", "holds"),
        ("value_is: {of: patience, in: [kv/*.h], is: 60 * 1000}", "holds"),
        ("value_is: {of: Phase, members: [NEW, READY]}", "holds"),
        ("value_is: {of: Phase, members: [READY, NEW]}", "fails"),
        ("value_is: {of: Status, members: [COMPLETE, FAILED]}", "holds"),
        ("value_is: {of: State, members: [NEW]}", "unknown"),
    ],
)
def test_value_is(predicate, verdict):
    found = check(predicate)
    assert found.verdict == verdict, found.why
    assert bool(found.evidence) == (verdict != "unknown")


def test_all_takes_the_worst_and_any_the_best():
    good, bad = (f"value_is: {{of: Entry.limit, is: {n}}}" for n in (30, 3))
    odd = "exists: {op: read, state: X.y}"
    assert check(f"all: [{{{good}}}, {{{good}}}]").verdict == "holds"
    assert check(f"all: [{{{good}}}, {{{odd}}}, {{{bad}}}]").verdict == "fails"
    assert check(f"all: [{{{good}}}, {{{odd}}}]").verdict == "unknown"
    assert check(f"any: [{{{odd}}}, {{{bad}}}, {{{good}}}]").verdict == "holds"
    assert check(f"any: [{{{odd}}}, {{{bad}}}]").verdict == "unknown"


def test_versions_and_when_decide_whether_a_claim_applies():
    good = "exists: {op: insert, state: Store.rows}"
    assert check(good, versions=">=2").verdict == "not_applicable"
    assert check(good, versions="<2").verdict == "holds"
    assert check(good, when={"define": "Entry.salt"}).verdict == "not_applicable"
    assert check(good, when={"define": "Entry.pins"}).verdict == "holds"


def test_tests_are_no_evidence():
    world = world_of({"kv/store.py": STORE, "tests/test_rows.py": TEST})
    target = world.parts[0].target
    object.__setattr__(target, "context", {"test": ("tests/**",)})
    item = {"id": "example.claim", "text": {"en": "e", "zh": "z"}, "exists": {"op": "insert", "state": "Store.rows"}}
    (found,) = Checker(world, "1.0").check([claim_of(item, "example", "x.yaml")])
    assert {e.file for e in found.evidence} == {"kv/store.py"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exist: {op: read}", "exactly one predicate"),
        ("exists: {op: read}", "needs a state"),
        ("order: {first: {mark: return}}", "lacks then"),
        ("order: {first: {mark: return}, then: {mark: raise}, last: 1}", "takes no 'last'"),
        ("exists: {use: nothing}", "names no selector"),
        ("exists: {text: x}", "'in' is a required property"),
        ("value_is: {of: A.b}", "lacks is or matches or members"),
        ("guarded_by: {what: {mark: return, in: [a]}, guard: '('}", "no regular expression"),
        ("exists: {role: publihs}", "there is no 'publihs'"),
    ],
)
def test_a_wrong_claim_says_what_is_wrong(text, said):
    with pytest.raises(RuleError, match=r"example\.claim") as error:
        check(text)
    assert said in str(error.value)
