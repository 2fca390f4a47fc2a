"""Pairs where a flag remembers what was done, where test and body share a line, and how sure a hand-over is."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.unit.pairs.test_balance import BLOCK, ask, rule, verdicts
from tests.unit.worlds import world_of
from tracer.model import EngineRevision, Revision
from tracer.pairs.again import givers
from tracer.render import pairs as render
from tracer.render.text import plain

CPP = """
    struct Block { int pins = 0; bool pin() { pins += 1; return true; } bool unpin() { pins -= 1; return true; } };
    bool ready();
    bool late();
"""


@pytest.mark.parametrize(("mark", "verdict"), [
    ("block->unpin(); freed = true;", "released"), ("freed = true;", "missing"), ("", "released"),
])
def test_a_flag_set_where_it_is_given_back(mark: str, verdict: str) -> None:
    code = CPP + """
    int move(Block* block) {
        for (int round = 0; round < 3; ++round) {
            block->pin();
            bool freed = false;
            while (true) {
                if (ready()) {
                    MARK
                }
                if (late()) {
                    if (!freed) block->unpin();
                    return -1;
                }
            }
        }
        return 0;
    }
    int main(Block* b) { return move(b); }
    """.replace("MARK", mark)
    found = dict(verdicts(ask(code, name="a.cpp")["move"]))
    assert found == {"return": verdict}


@pytest.mark.parametrize(("early", "late", "verdict"), [
    ("False", "True", "missing"), ("True", "False", "released"), ("False", "ready()", "missing"),
])
def test_a_flag_that_rules_the_giving_back_out(early: str, late: str, verdict: str) -> None:
    code = f"""
        def move(block: Block):
            skip = {early}
            block.pin()
            skip = {late}
            if not skip:
                block.unpin()
            return None
        def main(block: Block):
            move(block)
    """
    assert verdicts(ask(code)["move"]) == [("return", verdict)]


def test_what_is_set_to_none_is_not_there() -> None:
    code = """
        def move(block: Block, other: Block):
            kept = None
            block.pin()
            try:
                work()
            finally:
                if kept is None:
                    block.unpin()
            raise RuntimeError("late")
        def main(block: Block):
            move(block, block)
    """
    assert verdicts(ask(code)["move"]) == [("raise", "released")]


def test_a_test_that_takes_hold_on_the_line_of_its_exit() -> None:
    code = CPP + """
    int good(Block* block) {
        if (!block->pin()) return -1;
        block->unpin();
        return 0;
    }
    int bad(Block* block) {
        if (!block->pin()) return -1;
        if (late()) return -2;
        block->unpin();
        return 0;
    }
    int gives(Block* block) {
        block->pin();
        if (!block->unpin()) return -1;
        return -2;
    }
    int main(Block* b) { return good(b) + bad(b) + gives(b); }
    """
    found = ask(code, name="a.cpp")
    assert verdicts(found["good"]) == [("return", "released")]
    assert verdicts(found["bad"]) == [("return", "missing"), ("return", "released")]
    assert [e.verdict for e in found["gives"].exits] == ["released", "released"]


def test_the_same_in_python() -> None:
    code = """
        def take(block: Block):
            block.pin()
            return True
        def good(block: Block):
            if not take(block): return None
            if late(): raise RuntimeError("late")
            block.unpin()
        def main(block: Block):
            good(block)
    """
    found = ask(code)["good"]
    assert verdicts(found) == [("raise", "missing"), ("fall", "released")]


def test_how_sure_a_hand_over_is() -> None:
    code = """
        class Table:
            def __init__(self):
                self.named: dict[int, Block] = {}
            def keep(self, key, block: Block):
                block.pin()
                self.named[key] = block
            def known(self, block: Block):
                block.pin()
            def caller(self, block: Block):
                self.known(block)
                block.unpin()
            def nobody(self, block: Block):
                block.pin()
        """
    found = ask(code, rule(owners=["Table.named"]))
    told = {name: found[name].exits[0].basis for name in ("keep", "known", "nobody")}
    assert told == {"keep": "declared", "known": "followed", "nobody": "assumed"}
    engine = EngineRevision("example", "1", Revision("folder", "d" * 32))
    holders = list(found.values())
    lines = [plain(line) for line in render.text(engine, holders, [], every=True)]
    assert sum("handed over (assumed) to " in line for line in lines) == 1
    assert any("(1 assumed)" in line for line in lines)
    assert "handed over (assumed)" in "\n".join(render.markdown(engine, holders, [], every=True))
    document = render.document(engine, holders, [])
    assert document["counts"]["assumed"] == 1
    assert [e["basis"] for f in document["functions"] for e in f["exits"] if e["verdict"] == "handed_over"].count(
        "assumed") == 1


POOL = """
        class Pool:
            def __init__(self):
                self.free: list[int] = []
            def take(self, key) -> list[int]:
                return [self.free.pop()]
            def give(self, blocks):
                self.free.extend(blocks)
        class Batch:
            def __init__(self):
                self.slots = None
"""
SLOTS = """
id: example.pairs.slots
role: reclaim
layer: gpu
why: Slots that are lost never come back.
acquire: {call: Pool.take}
release: {call: Pool.give}
"""


@pytest.mark.parametrize(("body", "verdict", "basis"), [
    ("batch.slots = pool.take(1)\n            raise RuntimeError('late')", "handed_over", "assumed"),
    ("got = pool.take(1)\n            batch.slots = got\n            return None", "handed_over", "assumed"),
    ("got = pool.take(1)\n            batch.slots = len(got)\n            return None", "missing", ""),
    ("got = pool.take(1)\n            batch.slots = got.count\n            return None", "missing", ""),
])
def test_what_is_put_into_a_field_of_an_argument(body: str, verdict: str, basis: str) -> None:
    code = POOL + f"""
        def prepare(pool: Pool, batch: Batch):
            {body}
        def main(pool: Pool, batch: Batch):
            prepare(pool, batch)
    """
    (leaving,) = ask(code, rule(SLOTS, known_by="result"))["prepare"].exits
    assert (leaving.verdict, leaving.basis) == (verdict, basis)


def test_what_stands_in_a_list_that_is_taken() -> None:
    code = """
        class Plans:
            def __init__(self):
                self.plans = {}
        def pin_all(blocks: list[Block]):
            for block in blocks:
                block.pin()
        def plan(plans: Plans, key, given: list[Block]):
            chosen = []
            numbers = []
            for block in given:
                chosen.append(block)
                numbers.append(block.number)
            pin_all(chosen)
            plans.plans[key] = (numbers, True)
        def main(plans: Plans, given: list[Block]):
            plan(plans, 1, given)
    """
    assert [e.verdict for e in ask(code)["plan"].exits] == ["handed_over"]


@pytest.mark.parametrize(("known_by", "missing"), [("result", 1), (None, 0)])
def test_who_hands_on_only_the_length_has_lost_it(known_by: str | None, missing: int) -> None:
    code = POOL + """
        def count(pool: Pool, key):
            got = pool.take(key)
            if not got:
                return wrap(got)
            return wrap(len(got) * 2)
        def main(pool: Pool):
            count(pool, 1)
    """
    more = {"known_by": known_by} if known_by else {}
    assert ask(code, rule(SLOTS, **more))["count"].missing == missing


@pytest.mark.parametrize(("first", "second", "twice"), [
    ("mode == Mode.A", "mode not in (Mode.A, Mode.B)", False),
    ("mode == Mode.A", "mode in (Mode.A, Mode.B)", True),
    ("mode == Mode.A", "mode == Mode.B", False),
    ("mode == Mode.A", "mode != Mode.B", True),
    ("mode in (Mode.A, Mode.B)", "mode == Mode.C", False),
    ("mode in (Mode.A, Mode.B)", "mode == Mode.A", True),
    ("mode == kind", "mode == other", True),
])
def test_one_name_has_one_value(first: str, second: str, twice: bool) -> None:
    code = f"""
        def end(block: Block, mode, kind, other):
            if {first}:
                block.unpin()
            if {second}:
                block.unpin()
    """
    text = BLOCK + dedent(code)
    assert any(g.twice for g in givers(world_of({"a.py": text}), [rule()])) is twice


@pytest.mark.parametrize(("first", "second", "missing"), [("", "out.append(got)", 1), ("out.append(got)", "", 0)])
def test_a_list_gives_back_only_what_was_put_into_it(first: str, second: str, missing: int) -> None:
    code = POOL + f"""
        def some(pool: Pool, keys):
            out = []
            for key in keys:
                got = pool.take(key)
                {first or 'pass'}
                if late():
                    break
                {second or 'pass'}
            return out
        def main(pool: Pool, keys):
            for block in some(pool, keys):
                pool.give(block)
    """
    assert ask(code, rule(SLOTS, known_by="result"))["some"].missing == missing


def test_a_list_that_held_it_before_it_was_taken() -> None:
    code = """
        def some(blocks: list[Block]):
            out = []
            for block in blocks:
                out.append(block)
                block.pin()
                if late():
                    break
            return out
        def main(blocks: list[Block]):
            for block in some(blocks):
                block.unpin()
    """
    assert ask(code)["some"].missing == 0


def test_who_gets_the_key_can_say_which_one_it_is() -> None:
    code = """
        def some(table: dict[int, Block], keys, more):
            out = []
            for key in keys:
                block = table[key]
                out.append(key)
                block.pin()
            for key in more:
                out.append(key)
            return out
        def main(table: dict[int, Block]):
            for key in some(table, [1], []):
                table[key].unpin()
    """
    assert ask(code)["some"].missing == 0


def test_some_of_what_came_is_given_back_the_rest_is_handed_on() -> None:
    code = POOL + """
        def prefix(pool: Pool, keys):
            got = pool.take(keys)
            out = []
            failed = False
            for block in got:
                if failed:
                    if block is not None:
                        pool.give(block)
                elif block is not None:
                    out.append(block)
                else:
                    failed = True
            return out
        def main(pool: Pool):
            for block in prefix(pool, [1]):
                pool.give(block)
    """
    assert ask(code, rule(SLOTS, known_by="result"))["prefix"].missing == 0


def test_what_is_passed_on_on_one_way_only() -> None:
    code = POOL + """
        def load(pool: Pool, key):
            got, size = pool.take(key)
            if got is None:
                return None
            if late():
                return None
            fill(got)
            return None
        def main(pool: Pool):
            load(pool, 1)
    """
    found = ask(code, rule(SLOTS, known_by="result"))["load"]
    assert [(e.verdict, e.basis) for e in found.exits] == [("missing", ""), ("handed_over", "assumed")]
