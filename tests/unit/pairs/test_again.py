"""Who gives back, and what may be given back twice: through callees, other parts, other names, and what was taken."""

from __future__ import annotations

from tests.unit.pairs.test_balance import BLOCK, rule
from tests.unit.worlds import world_of
from tracer.pairs.again import Giver, givers
from tracer.render.pairs import given_back, releases
from tracer.render.text import plain

CODE = """
def end(job: Block):
    if not job:
        return
    job.unpin()

def twice(block: Block):
    end(block)
    block.unpin()

def one_of_two(block: Block, ok):
    if ok:
        block.unpin()
    else:
        block.unpin()

def named_anew(owner: Owner, block: Block):
    block.unpin()
    block = owner.held["next"]
    block.unpin()

class Shelf:
    def __init__(self):
        self.blocks: dict[int, Block] = {}
    def end_of(self, keys):
        for key in keys:
            block = self.blocks.get(key)
            block.unpin()

def two_keys(shelf: Shelf, loaded, failed):
    shelf.end_of(loaded)
    shelf.end_of(failed)

def each(blocks, size):
    for i in range(0, len(blocks), size):
        block = blocks[i]
        block.unpin()

def twice_all(blocks: list[Block]):
    each(blocks, 1)
    each(blocks, 1)

async def later(block: Block):
    block.unpin()

def rolled_back(loop, block: Block):
    try:
        loop.start(later(block))
    except Exception:
        block.unpin()

async def waited(block: Block):
    await later(block)
    block.unpin()

def others(a: Block, b: Block):
    a.unpin()
    b.unpin()

def taken(block: Block):
    block.pin()
    block.unpin()
    block.unpin()

def sometimes(block: Block, ok):
    if ok:
        block.unpin()

def after_sometimes(block: Block, ok):
    sometimes(block, ok)
    block.unpin()
"""


def found() -> dict[str, Giver]:
    given = givers(world_of({"a.py": BLOCK + CODE}), [rule()])
    return {g.symbol.rpartition(".")[2]: g for g in given}


def test_what_is_given_back_twice_on_one_path() -> None:
    given = found()
    assert {name for name, g in given.items() if g.twice} == {"twice", "twice_all", "waited"}
    ((first, second, what),) = given["twice"].twice
    assert (second - first, what) == (1, "block.pins")


def test_as_text_and_document() -> None:
    given = list(found().values())
    lines = [plain(line) for line in given_back(given, every=False)]
    assert len(lines) == 3 and "twice  may give block.pins back twice" in lines[0]
    assert any("Block.unpin  gives back in" in plain(line) for line in given_back(given, every=True))
    assert [len(row["twice"]) for row in releases(given) if row["symbol"] == "a.twice"] == [1]
