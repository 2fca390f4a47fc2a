"""Who runs a place's function: a caller that is gated otherwise, new and lost callers, a thread; renamed callers."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diff.sides import CACHE, side
from tests.unit.worlds import world_of
from tracer.diff.compare import Comparison
from tracer.diff.model import Change
from tracer.diff.reach import CALLERS, GATED, changes, runs_of
from tracer.graph.edges import Edges
from tracer.graph.hops import Hops
from tracer.graph.uses import Uses

USER = """

import threading


class Loop:
    def __init__(self, index: Index, wanted):
        self.index = index
        if wanted:
            threading.Thread(target=self.run).start()

    def run(self):
        while True:
            self.index.drop("old")
            self.step()

    def step(self):
        self.index.put("k", Entry())
"""


def compare(tmp_path: Path, before: str, after: str) -> list[Change]:
    files = [{"kv/cache.py": CACHE + text} for text in (before, after)]
    sides = [side(tmp_path, f) for f in files]
    hops = [Hops(Edges(Uses(world_of(f)))) for f in files]
    runs = [runs_of(h, s, "example") for h, s in zip(hops, sides, strict=True)]
    found = Comparison(*sides)
    list(found.changes())
    return list(changes(found, *runs))


def test_nothing_changed(tmp_path: Path) -> None:
    assert compare(tmp_path, USER, USER) == []


def test_a_caller_that_is_gated_otherwise(tmp_path: Path) -> None:
    gated = USER.replace(
        "        self.index.put", "        if not self.index.rows:\n            return\n        self.index.put"
    )
    (change,) = compare(tmp_path, USER, gated)
    assert (change.kind, change.detail, change.action) == ("guard", GATED, "commit")
    assert change.after
    assert change.after.symbol == "kv.cache.Index.put"
    assert change.after.text[0].startswith("called from Loop.step (kv/cache.py:")
    assert "self.index.rows" in change.after.text[0]


def test_a_new_caller_and_a_renamed_one(tmp_path: Path) -> None:
    more = USER + "\n    def reap(self):\n        self.index.drop('stale')\n"
    (change,) = compare(tmp_path, USER, more)
    assert (change.kind, change.detail, change.action) == ("path", CALLERS, "unpublish")
    assert change.before
    assert change.after
    assert change.before.text == ()
    assert [t.split(" (")[0] for t in change.after.text] == ["called from Loop.reap"]
    assert compare(tmp_path, USER, USER.replace("step", "advance")) == []


def test_a_thread_that_is_started_under_another_condition(tmp_path: Path) -> None:
    driven = USER.replace("self.index.drop", "pass; self.index.pin('a', Entry()); self.index.drop")
    target = CACHE + driven
    assert "target=self.run" in target
    worker = driven.replace("target=self.run", "target=self.index.pin")
    free = worker.replace("        if wanted:\n            threading", "        threading")
    found = compare(tmp_path, worker, free)
    assert [(c.kind, c.detail) for c in found] == [("guard", GATED)]
    assert found[0].before
    assert found[0].before.text[0].startswith("run by thread from Loop.__init__")
    assert found[0].before.text[0].endswith("only if wanted")
