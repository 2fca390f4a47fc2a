"""Pairs on invented code: each verdict, each kind of exit, each kind of hand-over, in Python and in C++."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from tests.unit.worlds import world_of
from tracer.errors import RuleError, UsageError
from tracer.model import EngineRevision, Revision
from tracer.pairs.balance import Holder, judge
from tracer.pairs.rules import PairRule, _check, _pair, pair_rules
from tracer.render import pairs as render
from tracer.render.text import plain

PINS = """
id: example.pairs.pins
role: protection
layer: host
why: A pinned block is never evicted.
acquire: {op: augment+, state: Block.pins}
release: {op: augment-, state: Block.pins}
"""
BLOCK = """
class Block:
    def __init__(self):
        self.pins = 0
    def pin(self):
        self.pins += 1
    def unpin(self):
        self.pins -= 1
class Owner:
    def __init__(self):
        self.held: dict[str, Block] = {}
        self.ready = []
    def give_back(self, key):
        block = self.held.pop(key)
        block.unpin()
"""


def rule(text: str = PINS, **more: object) -> PairRule:
    item = {**yaml.safe_load(text), **more}
    _check([item], "example.yaml")
    return _pair(item, "example", "example.yaml")


def ask(code: str, pair: PairRule | None = None, name: str = "a.py", depth: int | None = None) -> dict[str, Holder]:
    shared = BLOCK if name.endswith(".py") else ""
    holders, _ = judge(world_of({name: dedent(shared) + dedent(code)}), [pair or rule()], depth)
    return {h.symbol.replace("::", ".").rpartition(".")[2]: h for h in holders}


def verdicts(holder: Holder) -> list[tuple[str, str]]:
    return [(e.kind, e.verdict) for e in holder.exits]


def owners(holder: Holder) -> list[tuple[str, str]]:
    return [(e.verdict, e.owner) for e in holder.exits]


# -- verdicts and exits --------------------------------------------------------------
def test_a_release_on_every_way() -> None:
    found = ask("""
        def copy(block: Block, ok):
            block.pin()
            if not ok:
                block.unpin()
                return None
            block.unpin()
            return 1
    """)["copy"]
    assert verdicts(found) == [("return", "released"), ("return", "released")]
    assert [e.by[1] - found.def_line for e in found.exits if e.by] == [3, 5]


def test_a_failing_exit_that_forgets_is_missing_and_shows_its_way() -> None:
    found = ask("""
        def copy(block: Block, ok):
            block.pin()
            if not ok:
                return None
            block.unpin()
            return 1
        def main(block: Block):
            copy(block, True)
    """)["copy"]
    assert verdicts(found) == [("return", "missing"), ("return", "released")]
    assert [line - found.def_line for line in found.exits[0].path] == [1, 2, 3]


def test_an_exit_before_anything_is_taken_is_no_exit_of_it() -> None:
    found = ask("""
        def copy(block: Block, ok):
            if not ok:
                return None
            block.pin()
            block.unpin()
    """)["copy"]
    assert verdicts(found) == [("fall", "released")]


def test_raise_and_exception_edges_in_try() -> None:
    found = ask("""
        def bad(block: Block, fill):
            block.pin()
            if fill is None:
                raise ValueError
            try:
                fill(block)
            except OSError:
                return False
            block.unpin()
        def good(block: Block, fill):
            block.pin()
            try:
                fill(block)
            finally:
                block.unpin()
            return True
        def main(block: Block):
            bad(block, 1)
            good(block, 1)
    """)
    assert verdicts(found["bad"]) == [("raise", "missing"), ("return", "missing"), ("fall", "released")]
    assert verdicts(found["good"]) == [("return", "released")]


def test_exceptions_of_calls_are_exits_where_the_pair_says_so() -> None:
    code = """
        def copy(block: Block, fill):
            block.pin()
            fill(block)
            block.unpin()
    """
    assert verdicts(ask(code)["copy"]) == [("fall", "released")]
    assert ("raise", "missing") in verdicts(ask(code, rule(exceptions=True))["copy"])


# -- conditions ----------------------------------------------------------------------
def test_the_same_condition_asked_again() -> None:
    code = """
        def copy(block: Block, shared):
            if shared:
                block.pin()
            {between}
            if shared:
                block.unpin()
            return 1
        def main(block: Block):
            copy(block, True)
    """
    assert verdicts(ask(code.format(between="pass"))["copy"]) == [("return", "released")]
    assert verdicts(ask(code.format(between="shared = block.ask()"))["copy"]) == [("return", "handed_over")]


def test_an_acquire_that_failed_took_nothing() -> None:
    found = ask("""
        class Pool:
            def __init__(self):
                self.block = Block()
            def take(self) -> Block | None:
                if self.block.pins:
                    return None
                self.block.pins += 1
                return self.block
        def copy(pool: Pool, ok):
            got = pool.take()
            if got is None:
                return None
            if not ok:
                return False
            got.unpin()
            return True
        def main(pool: Pool):
            copy(pool, True)
    """)
    assert verdicts(found["take"]) == [("return", "handed_over")]
    assert verdicts(found["copy"]) == [("return", "missing"), ("return", "released")]


def test_nothing_there_to_release_is_no_way() -> None:
    found = ask("""
        def copy(blocks: list[Block], spare: Block | None):
            for b in blocks:
                b.pin()
            for b in blocks:
                b.unpin()
            return 1
    """)["copy"]
    assert verdicts(found) == [("return", "released")]


def test_a_switch_that_is_not_passed_acquires_nothing() -> None:
    found = ask("""
        def find(block: Block, pin=False):
            if pin:
                block.pin()
            return True
        def look(block: Block):
            return find(block)
        def hold(block: Block):
            return find(block, pin=True)
        def maybe(block: Block, keep=False):
            return find(block, keep)
        def calls(block: Block):
            return maybe(block), maybe(block, True)
    """)
    assert set(found) == {"pin", "find", "hold", "maybe", "calls"}


def test_a_sentinel_and_a_part_of_the_result_mean_that_nothing_was_taken() -> None:
    found = ask("""
        def take(blocks: list[Block]):
            for b in blocks:
                b.pin()
            return blocks
        def copy(blocks: list[Block], fill):
            got = take(blocks)
            first = got[0]
            if first is None:
                return False
            for b in got:
                b.unpin()
            return True
    """)
    assert verdicts(found["copy"]) == [("return", "released")]


def test_what_only_logs_raises_nothing() -> None:
    code = """
        def copy(block: Block, fill):
            block.pin()
            try:
                {statement}
            except ValueError:
                return False
            block.unpin()
            return True
        def main(block: Block):
            copy(block, 1)
    """
    assert verdicts(ask(code.format(statement="logger.info('x %s', block)"))["copy"]) == [("return", "released")]
    assert ("return", "missing") in verdicts(ask(code.format(statement="fill(block)"))["copy"])


def test_a_rollback_in_a_handler() -> None:
    found = ask("""
        def copy(blocks: list[Block], fill):
            for b in blocks:
                b.pin()
            try:
                fill(blocks)
            except Exception:
                for b in blocks:
                    try:
                        b.unpin()
                    except ValueError:
                        pass
                raise
            for b in blocks:
                b.unpin()
    """)
    assert verdicts(found["copy"]) == [("raise", "released"), ("fall", "released")]


# -- hand-over -----------------------------------------------------------------------
def test_handed_over_to_a_field_that_a_releasing_function_knows() -> None:
    found = ask("""
        class Cache(Owner):
            def keep(self, key, block: Block):
                block.pin()
                self.held[key] = block
                return False
            def lose(self, key, block: Block):
                block.pin()
                self.ready.append(key)
                return False
        def main(cache: Cache, block: Block):
            cache.keep("k", block)
            cache.lose("k", block)
    """)
    assert [(e.verdict, e.owner) for e in found["keep"].exits] == [("handed_over", "held")]
    assert verdicts(found["lose"]) == [("return", "missing")]


def test_handed_over_by_the_return_value_and_followed_to_the_caller() -> None:
    code = """
        def take(block: Block):
            block.pin()
            return block
        def one(block: Block):
            got = take(block)
            got.unpin()
            return 1
        def two(block: Block, ok):
            got = take(block)
            if not ok:
                raise ValueError
            got.unpin()
    """
    found = ask(code)
    assert verdicts(found["take"]) == [("return", "handed_over")]
    assert verdicts(found["one"]) == [("return", "released")]
    assert verdicts(found["two"]) == [("raise", "missing"), ("fall", "released")]
    assert found["two"].via == ("a.take", "a.Block.pin")


def test_the_depth_is_a_limit() -> None:
    code = """
        def take(block: Block):
            block.pin()
        def outer(block: Block):
            take(block)
        def outermost(block: Block):
            outer(block)
            return None
        def main(block: Block):
            outermost(block)
    """
    assert set(ask(code, depth=3)) == {"pin", "take", "outer", "outermost"}
    assert set(ask(code, depth=1)) == {"pin", "take"}
    beyond = ask(code, depth=1)["take"].exits[0]
    assert (beyond.verdict, beyond.owner) == ("handed_over", "its callers, beyond the depth")


def test_releases_in_callees_count_to_the_depth() -> None:
    code = """
        def give(block: Block):
            block.unpin()
        def give_more(block: Block):
            give(block)
        def copy(block: Block):
            block.pin()
            give_more(block)
            return None
        def main(block: Block):
            copy(block)
    """
    assert verdicts(ask(code)["copy"]) == [("return", "released")]
    assert verdicts(ask(code, depth=1)["copy"]) == [("return", "missing")]


def test_a_function_that_gives_back_only_its_own_releases_nothing_for_others() -> None:
    found = ask("""
        def look(block: Block):
            block.pin()
            block.unpin()
        def copy(block: Block):
            block.pin()
            look(block)
            return None
        def main(block: Block):
            copy(block)
    """)
    assert verdicts(found["copy"]) == [("return", "missing")]


def test_closures_are_apart_and_can_be_owners() -> None:
    found = ask("""
        def later(block: Block, future):
            block.pin()
            def done():
                block.unpin()
            future.add_done_callback(done)
            return None
        def at_once(block: Block):
            block.pin()
            def done():
                block.unpin()
            done()
            return None
        def on_one_line(block: Block, future):
            block.pin()
            future.add_done_callback(lambda _: block.unpin())
            return None
        def never(block: Block):
            block.pin()
            def done():
                block.unpin()
            return None
        def main(block: Block):
            later(block, 1)
            at_once(block)
            never(block)
            on_one_line(block, 1)
    """)
    assert owners(found["on_one_line"]) == [("handed_over", "a closure")]
    assert [(e.verdict, e.owner) for e in found["later"].exits] == [("handed_over", "a closure")]
    assert verdicts(found["at_once"]) == [("return", "released")]
    assert verdicts(found["never"]) == [("return", "missing")]


def test_with_gives_back() -> None:
    found = ask("""
        class Pinned:
            def __init__(self, block: Block):
                self.block = block
            def __enter__(self):
                self.block.pin()
            def __exit__(self, *_):
                self.block.unpin()
        def copy(block: Block, ok):
            with Pinned(block):
                if not ok:
                    return None
            return 1
    """)
    assert owners(found["__enter__"]) == [("handed_over", "the end of its object's scope")]
    assert "copy" not in found


# -- receipts ------------------------------------------------------------------------
RECEIPTS = rule(receipts=["Owner.held"])


def test_forgetting_a_record_without_a_release() -> None:
    found = ask("""
        class Cache(Owner):
            def end(self, key, ok):
                block = self.held.pop(key, None)
                if block is None:
                    return None
                if not ok:
                    return False
                block.unpin()
                return True
            def look(self, key, ok):
                if not ok:
                    return False
                self.held.pop(key).unpin()
                return True
    """, RECEIPTS)
    assert verdicts(found["end"]) == [("return", "missing"), ("return", "released")]
    assert verdicts(found["look"]) == [("return", "released")]


def test_forgetting_after_a_release_or_because_the_thing_is_gone() -> None:
    found = ask("""
        class Cache(Owner):
            def end(self, key, blocks: dict[str, Block]):
                block = blocks.get(key)
                if block is None:
                    del self.held[key]
                    return False
                block.unpin()
                del self.held[key]
                return True
    """, RECEIPTS)
    assert verdicts(found["end"]) == [("return", "released")]


def test_entered_with_something_held() -> None:
    found = ask("""
        class Base:
            def finish(self, block): ...
        class Mine(Base):
            def finish(self, block: Block):
                if not block.pins:
                    return False
                block.unpin()
                return True
    """, rule(held={"override": "Base.finish"}))
    assert verdicts(found["finish"]) == [("return", "missing"), ("return", "released")]


def test_what_is_destroyed_needs_no_release() -> None:
    code = """
        class Cache(Owner):
            def __init__(self):
                self.blocks: dict[str, Block] = {}
            def end(self, key):
                del self.held[key]
                self.blocks.clear()
    """
    ends = rule(receipts=["Owner.held"], end={"op": "clear", "state": "Cache.blocks"})
    assert verdicts(ask(code, RECEIPTS)["end"]) == [("fall", "missing")]
    assert verdicts(ask(code, ends)["end"]) == [("fall", "released")]


# -- C++ -----------------------------------------------------------------------------
CPP = """
#include <map>
struct Block { int pins_ = 0; void Pin() { ++pins_; } void Unpin() { --pins_; } };
class Guard {
   public:
    explicit Guard(Block* b) : b_(b) { b_->Pin(); }
    ~Guard() { b_->Unpin(); }
   private:
    Block* b_;
};
class Tasks {
   public:
    bool Start(int id, Block* block) {
        tasks_.emplace(id, block);
        block->Pin();
        return false;
    }
    bool End(int id, Block* block, bool ok) {
        if (!ok) {
            tasks_.erase(id);
            return false;
        }
        block->Unpin();
        tasks_.erase(id);
        return true;
    }
    bool Revoke(int id, Block* block) {
        if (block == nullptr) {
            Log(id);
        } else {
            block->Unpin();
        }
        tasks_.erase(id);
        return true;
    }
    void Throw(Block* block, bool ok) {
        block->Pin();
        if (!ok) throw std::runtime_error("no");
        if (auto* b = block; b != nullptr) b->Unpin();
    }
    Task Wait(Block* block, bool ok) {
        block->Pin();
        if (!ok) co_return nullptr;
        block->Unpin();
        co_return block;
    }
    int Scoped(Block* block, bool ok) {
        Guard guard(block);
        if (!ok) return -1;
        return 0;
    }
    int Each(Block* block) {
        block->Pin();
        std::for_each(all_.begin(), all_.end(), [](Block* b) { b->Unpin(); });
        return -1;
    }
    bool Sentinel(Pool* pool, bool ok) {
        auto id = pool->Allocate();
        if (id == INVALID_ID) return false;
        if (!ok) return false;
        pool->Free(id);
        return true;
    }
    int Later(Block* block) {
        block->Pin();
        pool_.enqueue([block] { block->Unpin(); });
        return -1;
    }
   private:
    std::map<int, Block*> tasks_;
};
"""
POOL_CPP = rule(acquire={"call": "Pool.Allocate"}, release={"call": "Pool.Free"})
PINS_CPP = rule(
    acquire={"op": "augment+", "state": "Block.pins_"},
    release={"op": "augment-", "state": "Block.pins_"},
    receipts=["Tasks.tasks_"],
)


def test_cpp() -> None:
    found = ask(CPP, PINS_CPP, "a.cpp")
    assert [(e.verdict, e.owner) for e in found["Start"].exits] == [("handed_over", "Tasks.tasks_")]
    assert verdicts(found["End"]) == [("return", "missing"), ("return", "released")]
    assert verdicts(found["Revoke"]) == [("return", "released")]
    assert verdicts(found["Throw"]) == [("throw", "missing"), ("fall", "released")]
    assert verdicts(found["Wait"]) == [("co_return", "missing"), ("co_return", "released")]
    assert owners(found["Guard"]) == [("handed_over", "the end of its object's scope")]
    assert "Scoped" not in found
    assert verdicts(found["Each"]) == [("return", "released")]
    assert verdicts(found["Later"]) == [("return", "handed_over")]
    pool = "struct Pool { int Allocate(); void Free(int id); };" + CPP
    taken = ask(pool, POOL_CPP, "a.cpp")["Sentinel"]
    assert verdicts(taken) == [("return", "missing"), ("return", "released")]


# -- rules ---------------------------------------------------------------------------
def test_a_pair_rule_is_checked(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="nothing is acquired"):
        release = {"op": "clear", "state": "A.b"}
        _pair({"id": "e.pairs.x", "role": "protection", "layer": "host", "release": release}, "e", "f")
    with pytest.raises(RuleError, match="'release' is a required property"):
        _check([{"id": "e.pairs.x", "role": "protection", "layer": "host", "why": "x"}], "e.yaml")
    with pytest.raises(UsageError, match="did you mean"):
        pair_rules("mooncake.pairs.replica-refcnt", "mooncake", "v0.3.6")


def test_a_pair_of_an_own_folder_replaces_a_shipped_one(tmp_path: Path) -> None:
    shipped = pair_rules("mooncake.pairs.replica-refcount", "mooncake", "0.3.10")[0]
    (tmp_path / "pairs").mkdir()
    text = PINS.replace("example.pairs.pins", shipped.id).replace("\n", "\n  ").strip()
    (tmp_path / "pairs" / "mooncake.yaml").write_text(f"- {text}\n")
    mine = pair_rules(shipped.id, "mooncake", "0.3.10", [tmp_path])[0]
    assert mine.cues("acquire") != shipped.cues("acquire")


def test_a_pair_that_finds_too_little_is_a_gap() -> None:
    _, gaps = judge(world_of({"a.py": "x = 1\n"}), [rule(expect=">=1")])
    assert [(g.what, g.why) for g in gaps] == [("example.pairs.pins", "0 functions hold it (expected >=1)")]


def test_text_and_document_say_the_same_and_follow_the_rule() -> None:
    engine = EngineRevision("example", "1", Revision("folder", "d" * 32))
    world = world_of({"a.py": BLOCK + dedent("""
        def copy(block: Block, ok):
            block.pin()
            if not ok:
                return None
            block.unpin()
    """)})
    holders, gaps = judge(world, [rule()])
    lines = [plain(line) for line in render.text(engine, holders, gaps, every=False)]
    assert any("copy  acquires it  via Block.pin" in line for line in lines)
    assert any("return  missing  since" in line for line in lines)
    doc = json.loads(json.dumps(render.document(engine, holders, gaps)))
    assert doc["schema"] == "tracer.pairs/1"
    assert doc["counts"]["missing"] == 1
    assert doc["functions"][-1]["exits"][0]["verdict"] == "missing"
    # The same code under a pair whose release is another statement: what was released is missing now.
    other, _ = judge(world, [rule(release={"op": "clear", "state": "Block.pins"})])
    assert render.tally(other)["released"] == 0 < render.tally(holders)["released"]
    assert "| missing |" in "\n".join(render.markdown(engine, holders, gaps, every=False))


# -- what raises where, what is held when ----------------------------------------------
WAITING = """
    async def read(block: Block, table, errors):
        while True:
            try:
                row = await table.read()
                block.pin()
                fill(row)
                block.unpin()
                return row
            except {handler}:
                return None
    def main(block: Block):
        read(block, 1, 2)
"""


@pytest.mark.parametrize("handler", ["errors.Unavailable", "(errors.Late, TimeoutError)", "asyncio.CancelledError"])
def test_a_handler_of_a_librarys_exceptions_is_for_what_waits(handler: str) -> None:
    assert [e.verdict for e in ask(WAITING.format(handler=handler))["read"].exits] == ["released"]


@pytest.mark.parametrize("handler", ["Exception", "ValueError", "OwnError"])
def test_other_handlers_are_for_every_statement(handler: str) -> None:
    assert [e.verdict for e in ask(WAITING.format(handler=handler))["read"].exits] == ["released", "missing"]


def test_a_wait_with_something_held_may_time_out() -> None:
    code = WAITING.replace("fill(row)", "await fill(row)").format(handler="TimeoutError")
    assert [e.verdict for e in ask(code)["read"].exits] == ["released", "missing"]


def test_what_passes_a_handler_of_everything_is_a_cancellation_only() -> None:
    code = """
        async def read(block: Block, table, errors):
            try:
                await table.read()
                block.pin()
                try:
                    row = await table.next()
                except Exception:
                    row = None
                block.unpin()
                return row
            except {handler}:
                return None
        def main(block: Block):
            read(block, 1, 2)
    """
    assert [e.verdict for e in ask(code.format(handler="errors.Late"))["read"].exits] == ["released"]
    found = ask(code.format(handler="asyncio.CancelledError"))["read"]
    assert [e.verdict for e in found.exits] == ["released", "missing"]


ROLL_BACK = """
    def fill(blocks: list[Block], source):
        try:
            for block in blocks:
                block.pin()
            source.read()
        except BaseException:
            for block in blocks:
                try:
                    known = source.find(block)
                    block.unpin()
                except Exception as e:
                    {then}
            raise
        for block in blocks:
            block.unpin()
    def main(blocks: list[Block]):
        fill(blocks, 1)
"""


def test_what_gives_back_in_a_handler_is_not_stopped_by_what_is_only_logged() -> None:
    found = ask(ROLL_BACK.format(then='logger.warning("%s", e)'))["fill"]
    assert verdicts(found) == [("raise", "released"), ("fall", "released")]


def test_a_handler_that_leaves_stops_the_giving_back() -> None:
    found = ask(ROLL_BACK.format(then="return"))["fill"]
    assert ("return", "handed_over") in verdicts(found)


def test_what_runs_in_the_background_is_held_once_its_result_is_there() -> None:
    code = """
        class Pool:
            def take(self, key):
                block = Block()
                block.pin()
                return block
        class Reader:
            def __init__(self, pool: Pool):
                self.pool = pool
            def get(self, key):
                future = start_task.submit(self.pool.take(key))
                try:
                    block: Block = future.result(5)
                except Exception:
                    block = None
                if block is None:
                    return None
                {then}
                return True
        def main(reader: Reader):
            reader.get(1)
    """
    assert verdicts(ask(code.format(then="block.unpin()"))["get"]) == [("return", "released")]
    forgets = ask(code.format(then="if block.old:\n                    return None"))["get"]
    assert ("return", "missing") in verdicts(forgets)


def test_a_flag_made_of_what_the_caller_passes() -> None:
    code = """
        class Store:
            def __init__(self):
                self.kind = ""
            def has(self, block: Block, pin: bool = False):
                really = pin if self.kind == "host" else False
                if really:
                    block.pin()
                return True
        def asks(store: Store, block: Block):
            return store.has(block{more})
    """
    assert "asks" not in ask(code.format(more=""))
    assert "asks" in ask(code.format(more=", pin=True"))


def test_an_exit_for_what_is_not_supported_is_no_exit_of_a_run() -> None:
    code = """
        def copy(block: Block, mode):
            block.pin()
            if mode == 1:
                block.unpin()
            else:
                raise {error}
        def main(block: Block):
            copy(block, 1)
    """
    assert verdicts(ask(code.format(error="NotImplementedError"))["copy"]) == [("fall", "released")]
    assert verdicts(ask(code.format(error='ValueError(f"Unexpected mode {mode}")'))["copy"]) == [("fall", "released")]
    assert ("raise", "missing") in verdicts(ask(code.format(error='ValueError("too late")'))["copy"])


def test_a_record_made_here_is_no_owner_before_it_is_put_away_itself() -> None:
    code = """
        struct Block { int pins = 0; void pin() { pins += 1; } void unpin() { pins -= 1; } };
        struct Record { Block* block; int size; };
        class Owner {
          public:
            bool take(Block* block, int size) {
                block->pin();
                Record record;
                record.block = block;
                if (!check(size)) {
                    return false;
                }
                records_[size] = record;
                return true;
            }
            void give_back(int size) { records_[size].block->unpin(); records_.erase(size); }
          private:
            std::map<int, Record> records_;
        };
        void start(Owner* owner, Block* block) { owner->take(block, 1); }
    """
    found = ask(code, name="a.cpp")["take"]
    assert verdicts(found) == [("return", "missing"), ("return", "handed_over")]


@pytest.mark.parametrize(("test", "verdict"), [("find(keys[i], block)", "released"), ("old(keys[i])", "missing")])
def test_a_test_that_fills_what_is_given_back_is_no_way_around_it(test: str, verdict: str) -> None:
    code = """
        struct Block { int pins = 0; void pin() { pins += 1; } void unpin() { pins -= 1; } };
        int all(std::vector<int> keys) {
            for (size_t i = 0; i < keys.size(); ++i) {
                at(keys[i])->pin();
            }
            for (size_t i = 0; i < keys.size(); ++i) {
                Block* block;
                if (TEST) {
                    block->unpin();
                }
            }
            return -1;
        }
        Block* at(int key);
        int main(std::vector<int> keys) { return all(keys); }
    """.replace("TEST", test).replace("Block* block", "Block block").replace("block->unpin", "block.unpin")
    assert [e.verdict for e in ask(code, name="a.cpp")["all"].exits] == [verdict]


@pytest.mark.parametrize(("test", "missing"), [("plain", 0), ("not plain", 1), ("self.ready", 1)])
def test_a_switch_says_whether_what_is_recorded_is_held(test: str, missing: int) -> None:
    code = """
        class Writer:
            def __init__(self):
                self.under_way: dict[int, Block] = {}
                self.ready = []
            def write(self, key, block: Block, plain=False):
                self.under_way[key] = block
                if not plain:
                    block.pin()
            def check(self, keys, plain=False):
                if TEST:
                    for key in keys:
                        self.under_way.pop(key)
                    return
                for key in keys:
                    self.under_way.pop(key).unpin()
        def main(writer: Writer, block: Block):
            writer.write(1, block)
            writer.check([1])
    """.replace("TEST", test)
    found = ask(code, rule(receipts=["Writer.under_way"]))
    assert (("check" in found and found["check"].missing) or 0) == missing
