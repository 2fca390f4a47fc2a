"""Functions that are gone and whose part others play: by method, by operation and state; several into one, one into
several; what shares only a common call is nobody's heir."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diff.sides import CACHE, FILES, compare, edited
from tests.unit.diff.test_compare import ends, told
from tracer.diff.compare import CALM, RAISING
from tracer.diff.heirs import MERGED, SPLIT

TREES = """
class OldTree:
    def __init__(self, index: Index):
        self.index = index

    def hold_node(self, entry: Entry, depth):
        while depth:
            depth -= 1
        entry.pins += 1


class OldHostTree:
    def hold_node(self, entry: Entry):
        print("host")
        entry.pins += 1
"""
ONE_TREE = """
class NewTree:
    def hold_node(self, entry: Entry):
        for _ in range(3):
            print("rewritten", "from", "the", "ground")
        if entry.ready:
            entry.pins += 1
"""


def test_classes_that_were_replaced_by_one(tmp_path: Path) -> None:
    changes, found = compare(tmp_path, {"kv/cache.py": CACHE + TREES}, {"kv/cache.py": CACHE + ONE_TREE})
    renamed = [c for c in changes if c.kind == "renamed"]
    assert {c.detail for c in renamed} == {MERGED, ""} or {c.detail for c in renamed} == {MERGED}
    assert {ends(c)[1] for c in renamed} == {"kv.cache.NewTree.hold_node"}
    assert not {c.kind for c in changes} & {"removed", "added"}
    assert ("toy.pins", "toy.pins") in found.partners


def test_another_name_and_another_body_but_the_same_state(tmp_path: Path) -> None:
    old = CACHE + TREES.split("class OldHostTree")[0]
    new = CACHE + ONE_TREE.replace("hold_node", "hold_component_node").replace("NewTree", "Component")
    changes, _ = compare(tmp_path, {"kv/cache.py": old}, {"kv/cache.py": new})
    assert ("renamed", "", "acquire") in told(changes)
    assert ("guard", "conditions", "acquire") in told(changes)
    assert not {c.kind for c in changes} & {"removed", "added"}


def test_one_that_became_several(tmp_path: Path) -> None:
    old = CACHE + TREES.split("class OldHostTree")[0]
    second = ONE_TREE.replace("NewTree", "Second").replace("hold_node", "hold_second_node")
    new = CACHE + ONE_TREE.replace("NewTree", "First").replace("hold_node", "hold_first_node") + second
    changes, _ = compare(tmp_path, {"kv/cache.py": old}, {"kv/cache.py": new})
    split = [ends(c)[1] for c in changes if c.kind == "renamed" and c.detail == SPLIT]
    assert sorted(split) == ["kv.cache.First.hold_first_node", "kv.cache.Second.hold_second_node"]


def test_a_name_that_is_far_off_is_nobodys_heir(tmp_path: Path) -> None:
    old = CACHE + TREES.split("class OldHostTree")[0]
    new = CACHE + ONE_TREE.replace("NewTree", "Queue").replace("hold_node", "x")
    changes, _ = compare(tmp_path, {"kv/cache.py": old}, {"kv/cache.py": new})
    assert "renamed" not in {c.kind for c in changes}


def test_a_class_of_another_name_in_another_file_is_renamed_and_moved(tmp_path: Path) -> None:
    new = {"kv/table.py": CACHE.replace("class Index", "class Table")}
    changes, _ = compare(tmp_path, FILES, new)
    pins = [c for c in changes if c.role == "protection"]
    assert [(c.kind, c.severity) for c in pins] == [("moved", "place"), ("renamed", "place")]
    assert {ends(c) for c in pins} == {("kv.cache.Index.pin", "kv.table.Table.pin")}


def test_a_step_that_raised_and_no_longer_does(tmp_path: Path) -> None:
    raising = edited(("            return None\n", "            raise KeyError(key)\n"))
    calm = edited(("            return None\n", "            complain(key)\n"))
    changes, _ = compare(tmp_path, raising, calm)
    assert ("removed", CALM, "detect") in told(changes)
    changes, _ = compare(tmp_path, calm, raising)
    assert ("added", RAISING, "detect") in told(changes)
