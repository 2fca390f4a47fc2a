"""Two versions of an invented cache, found by one small set of rules, for tests of comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from tests.unit.worlds import MemoryTree, world_of
from tracer.diff.compare import Comparison
from tracer.diff.model import Change
from tracer.diff.places import Side, side_of
from tracer.roles import Roles
from tracer.rules import load_file

RULES = [
    {
        "id": "toy.index",
        "role": "publish",
        "layer": "host",
        "why": "w",
        "state": "Index.rows",
        "actions": {"commit": {"op": "insert", "state": "Index.rows"}, "unpublish": {"op": "remove"}},
    },
    {
        "id": "toy.pins",
        "role": "protection",
        "layer": "host",
        "why": "w",
        "state": "Entry.pins",
        "actions": {"acquire": {"op": "augment+"}, "release": {"op": "augment-"}},
    },
    {
        "id": "toy.pins.write",
        "role": "protection",
        "layer": "host",
        "why": "w",
        "state": "Entry.pins",
        "actions": {"acquire": {"op": "write", "init": False}},
    },
    {
        "id": "toy.missing",
        "role": "failure",
        "layer": "host",
        "why": "w",
        "actions": {"detect": [{"mark": "raise", "value": "KeyError", "within": "Index"}, {"call": "complain"}]},
    },
]
CACHE = """\
class Entry:
    def __init__(self):
        self.pins = 0
        self.ready = False


class Index:
    def __init__(self, limit):
        self.rows: dict[str, Entry] = {}
        self.limit = limit

    def put(self, key, entry: Entry):
        if entry.ready and len(self.rows) < self.limit:
            self.rows[key] = entry
            return True
        return False

    def pin(self, key, entry: Entry):
        if key not in self.rows:
            return None
        entry.pins += 1
        return entry

    def drop(self, key):
        total = len(self.rows)
        if total > self.limit:
            del self.rows[key]
"""
FILES = {"kv/cache.py": CACHE}


def side(tmp_path: Path, files: Mapping[str, str]) -> Side:
    folder = tmp_path / "rules" / "toy"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.yaml").write_text(yaml.safe_dump(RULES), encoding="utf-8")
    world = world_of(files)
    sites = [s for f in Roles(world).apply(load_file(folder / "x.yaml", tmp_path / "rules")) for s in f.sites]
    facts = world.parts[0].facts
    assert isinstance(facts.tree, MemoryTree)
    return side_of(facts.tree, facts, sites)


def compare(tmp_path: Path, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[Change], Comparison]:
    found = Comparison(side(tmp_path, before), side(tmp_path, after))
    return sorted(found.changes(), key=lambda c: (c.kind, c.detail, c.action)), found


def edited(*edits: tuple[str, str]) -> dict[str, str]:
    text = CACHE
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return {"kv/cache.py": text}
