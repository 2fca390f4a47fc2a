"""Cues: every matcher and filter on small invented code, and how lifting climbs."""

from __future__ import annotations

import pytest
import yaml

from tests.unit.worlds import world
from tracer.errors import RuleError
from tracer.roles import Roles
from tracer.rules import load_file

CODE = """
    import time
    class Entry:
        def __init__(self):
            self.pins = 0
            self.until = 0.0
            self.state = "new"
    class Index:
        def __init__(self):
            self.rows: dict[str, Entry] = {}
            self.waiting = []
        def _add(self, key, e: Entry):
            self.rows[key] = e
        def publish(self, key, e: Entry):
            if e.state == "ready":
                self._add(key, e)
                self.waiting.append(key)
        def restore(self, key, e: Entry):
            self._add(key, e)
        def pin(self, key):
            e = self.rows[key]
            e.pins += 1
            e.until = time.monotonic() + 5
        def sweep(self):
            for key, e in list(self.rows.items()):
                if e.until < time.monotonic():
                    del self.rows[key]
        def fail(self, e: Entry):
            try:
                e.state = "done"
            except ValueError:
                e.state = "bad"
    class Door:
        def __init__(self, index: Index):
            self.index = index
        def put(self, key):
            self.index.publish(key, Entry())
"""


def sites(tmp_path, **cue):
    folder = tmp_path / "rules" / "engine"
    folder.mkdir(parents=True, exist_ok=True)
    rule = {"id": "engine.publish.x", "role": "publish", "layer": "host", "why": "w", "actions": {"commit": cue}}
    if "expect" in cue:
        rule["expect"] = {"commit": cue.pop("expect")}
    (folder / "x.yaml").write_text(yaml.safe_dump([rule]), encoding="utf-8")
    (found,) = Roles(world(kv_py=CODE)).apply(load_file(folder / "x.yaml", tmp_path / "rules"))
    return found


@pytest.mark.parametrize(
    ("cue", "lines"),
    [
        ({"op": "insert", "state": "Index.rows"}, [12]),
        ({"op": "remove", "state": "Index.rows"}, [26]),
        ({"op": "augment+", "state": "Entry.pins"}, [21]),
        ({"op": "write", "state": "Entry.until"}, [22]),
        ({"op": "write", "state": "Entry.until", "init": True}, [5, 22][:1]),
        ({"op": "write", "state": "Entry.state", "value": "done"}, [29]),
        ({"op": "write", "state": "Entry.state", "guard": "except ValueError"}, [31]),
        ({"op": "write", "state": "Entry.state", "not_guard": "except"}, [29]),
        ({"op": "read", "state": "Entry.until", "test": True, "against": "clock"}, [25]),
        ({"op": "remove", "state": "Index.rows", "guard": "until", "at": "guard"}, [25]),
        ({"call": "Index.publish"}, [36]),
        ({"call": "append", "on": "Index.waiting"}, [16]),
        ({"construct": "Entry"}, [36]),
        ({"define": "Entry"}, [2]),
        ({"define": "Index.rows"}, [9]),
        ({"mark": "except", "in": "kv.py", "value": "ValueError"}, [30]),
        ({"op": "insert", "state": "Index.rows", "lift": 1, "keep": False}, [15, 18]),
        ({"op": "insert", "state": "Index.rows", "lift": 1, "keep": False, "guard": "ready"}, [15]),
        (
            {"op": "insert", "state": "Index.rows", "lift": 1, "keep": False,
             "with": {"op": "insert", "state": "Index.waiting"}},
            [15],
        ),
        ({"op": "insert", "state": "Index.rows", "lift": 3, "keep": False, "lift_to": "Door"}, [36]),
        ({"op": "insert", "state": "Index.rows", "lift": 1, "lift_guard": "ready"}, [12, 15]),
        ({"op": "augment+", "state": "Entry.pins", "before": {"op": "write", "state": "Entry.until"}}, [21]),
        ({"op": "augment+", "state": "Entry.pins", "after": {"op": "write", "state": "Entry.until"}}, []),
        ({"op": "augment+", "state": "Entry.pins", "within": "Door"}, []),
        ({"op": "insert", "state": "Index.rows", "in": "elsewhere/**"}, []),
    ],
)
def test_cues(tmp_path, cue, lines):
    assert [s.first for s in sites(tmp_path, **cue).sites] == lines


def test_a_lifted_site_names_the_way_down(tmp_path):
    found = sites(tmp_path, op="insert", state="Index.rows", lift=2, lift_to="Door", keep=False)
    (site,) = found.sites
    assert site.symbol == "kv.Door.put"
    assert site.via == ("kv.Index.publish", "kv.Index._add")


def test_guards_stand_with_the_site(tmp_path):
    (site,) = sites(tmp_path, op="insert", state="Index.waiting").sites
    assert site.guards == ('if e.state == "ready"',)


def test_what_stands_behind_an_unconditional_way_out_plays_no_role(tmp_path):
    code = """
        class Shelf:
            def __init__(self):
                self.rows = {}
            def put(self, key):
                raise RuntimeError("no longer")
                for other in (key, key):
                    self.rows[other] = 1
            def get(self, key):
                if key:
                    self.rows[key] = 2
                    return key
                self.rows[key] = 3
    """
    (file := tmp_path / "rules" / "engine").mkdir(parents=True)
    rule = {"id": "engine.publish.x", "role": "publish", "layer": "host", "why": "w",
            "actions": {"commit": {"op": "insert", "state": "Shelf.rows"}}}
    (file / "x.yaml").write_text(yaml.safe_dump([rule]), encoding="utf-8")
    (found,) = Roles(world(kv_py=code)).apply(load_file(file / "x.yaml", tmp_path / "rules"))
    assert [s.first for s in found.sites] == [10, 12]


def test_a_rule_that_finds_too_little_is_a_gap_with_near_names(tmp_path):
    found = sites(tmp_path, op="insert", state="Index.row", expect=">=1")
    assert found.gap is not None
    assert "found commit 0 (expected >=1)" in found.gap.why
    assert "rows" in found.gap.why


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"role": "publishing"}, "publishing"),
        ({"actions": {"acquire": {"op": "insert", "state": "A.b"}}}, "no action acquire"),
        ({"actions": {"commit": {"op": "insert"}}}, "needs a state"),
        ({"actions": {"commit": {"op": "insert", "call": "A.b", "state": "A.c"}}}, "exactly one"),
        ({"actions": {"commit": {"call": "A.b", "args": "("}}}, "no regular expression"),
        ({"versions": "newest"}, "no range"),
        ({"id": "No Good"}, "No Good"),
    ],
)
def test_a_wrong_rule_is_one_line_that_says_where(tmp_path, change, said):
    rule = {"id": "e.r", "role": "publish", "layer": "host", "actions": {"commit": {"call": "A.b"}}} | change
    file = tmp_path / "e" / "r.yaml"
    file.parent.mkdir()
    file.write_text(yaml.safe_dump([rule]), encoding="utf-8")
    with pytest.raises(RuleError) as error:
        load_file(file, tmp_path)
    assert said in str(error.value)
    assert "e/r.yaml" in str(error.value)
    assert "\n" not in str(error.value)


def test_yaml_bombs_and_tags_are_refused(tmp_path):
    file = tmp_path / "e" / "r.yaml"
    file.parent.mkdir()
    for text in ("a: &a [1]\nb: [*a, *a]\n", "!!python/object/apply:os.system ['true']\n", "[" * 2000):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(RuleError):
            load_file(file, tmp_path)


def test_a_definition_shows_its_members_up_to_its_first_method(tmp_path):
    code = """
    from enum import IntEnum
    class Mode(IntEnum):
        # first
        READ = 1
        WRITE = 2
        def is_read(self):
            return self == Mode.READ
    class Bare:
        def run(self): ...
        late = 3
    """
    actions = {"define": {"define": ["Mode", "Bare"]}}
    (tmp_path / "r.yaml").write_text(
        yaml.safe_dump([{"id": "x.y", "role": "request_state", "layer": "engine", "actions": actions}])
    )
    found = Roles(world(m_py=code)).apply(load_file(tmp_path / "r.yaml", tmp_path))
    assert [(s.first, s.last) for s in found[0].sites] == [(2, 5), (8, 8)]
