"""Named paths and stacks as data: what ships is sound, the right one is chosen, a bad file is one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracer.errors import RuleError, UsageError
from tracer.model import ACTIONS, LAYERS, ROLES
from tracer.paths import routes
from tracer.targets import names, specs_of

ITEM = """
- id: vllm.test.short
  name: test
  engines: vllm
  stack: alone
  title: A to B
  way:
    - {what: start, interface: Base.start}
    - {what: end, role: publish, action: commit}
- id: vllm.test.long
  name: test
  engines: [vllm, lmcache]
  versions: {lmcache: ">=0.4"}
  title: {en: A to C, zh: 由甲至丙}
  way:
    - {what: start, interface: Base.start}
    - {what: end, state: Box.items, op: insert}
"""


@pytest.fixture
def extra(tmp_path: Path) -> list[Path]:
    (tmp_path / "paths").mkdir()
    (tmp_path / "paths" / "own.yaml").write_text(ITEM, encoding="utf-8")
    return [tmp_path]


def test_every_shipped_path_uses_known_engines_roles_actions_and_layers():
    found = routes.routes()
    assert found
    for route in found:
        assert set(route.engines) <= set(names()), route.id
        assert route.title.zh and all(s.what.zh for s in route.way), f"{route.id} lacks Chinese"
        for s in route.way:
            role = s.role or (s.rule[0].split(".")[1] if s.rule else "")
            assert not role or role in ROLES, route.id
            assert set(s.action) <= set(ACTIONS.get(role, ())), route.id
            assert set(s.layer) <= set(LAYERS), route.id
            assert not s.state or s.op, route.id


def test_the_path_that_crosses_most_of_the_engines_is_chosen(extra):
    alone = routes.choose("test", {"vllm": "0.33.0"}, extra=extra)
    joined = routes.choose("test", {"vllm": "0.33.0", "lmcache": "0.5.6"}, extra=extra)
    older = routes.choose("test", {"vllm": "0.33.0", "lmcache": "0.3.15"}, extra=extra)
    assert (alone.id, joined.id, older.id) == ("vllm.test.short", "vllm.test.long", "vllm.test.short")
    assert joined.title.zh == "由甲至丙"


def test_a_stack_picks_among_paths_of_one_name_and_an_unknown_one_says_what_there_is(extra):
    versions = {"vllm": "0.33.0", "lmcache": "0.5.6"}
    assert routes.choose("test", versions, "alone", extra).id == "vllm.test.short"
    with pytest.raises(UsageError, match=r"no stack 'moon'.*it has alone"):
        routes.choose("test", versions, "moon", extra)


def test_an_unknown_path_says_which_there_are(extra):
    with pytest.raises(UsageError, match=r"no path 'tset'.*did you mean test"):
        routes.choose("tset", {"vllm": "0.33.0"}, extra=extra)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (ITEM.replace("interface: Base.start", "interface: Base.start, role: load"), "exactly one of"),
        (ITEM.replace("vllm.test.long", "vllm.test.short"), "used twice"),
        (ITEM.replace("  engines: vllm\n", ""), "'engines' is a required property"),
        ("- 3", "is not of type 'object'"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path: Path, text: str, why: str):
    (tmp_path / "paths").mkdir()
    (tmp_path / "paths" / "own.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(RuleError) as error:
        routes.routes([tmp_path])
    assert why in str(error.value) and "\n" not in str(error.value)


def test_stacks_name_engines_and_choices_are_read():
    for name, specs in routes.stacks().items():
        assert [t.name for t, _ in specs_of(specs)] == name.split("+")
    with pytest.raises(UsageError, match="there is no stack"):
        routes.stack("vllm+moon")
    assert routes.choices(["stack=mp", "connector=A,B", "Other=C"]) == (
        "mp",
        [("KVConnectorBase_V1", ("A", "B")), ("Other", ("C",))],
    )
    with pytest.raises(UsageError, match="is not KEY=VALUE"):
        routes.choices(["mp"])


def test_an_engine_that_is_named_twice_counts_once_in_its_first_version():
    found = specs_of(["vllm@0.11.0", "lmcache", "vllm"])
    assert next((t.name, v.name) for t, v in found) == ("vllm", "0.11.0")
    assert len(found) == 2
