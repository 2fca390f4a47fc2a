"""The shipped rules: each does on its own example what the example says, and the files follow the house's law."""

from __future__ import annotations

import re

import pytest

from tracer import catalog, examples
from tracer.rules import OTHERS, all_rules, load_file

FILES = sorted(
    f
    for f in catalog.shipped("rules").glob("*/*.yaml")
    if f.parent.name not in OTHERS
)
EXAMPLES = [(f, e) for f in FILES for e in (f.with_suffix(".py"), f.with_suffix(".cpp")) if e.exists()]


@pytest.mark.parametrize(("file", "example"), EXAMPLES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_rules_do_on_their_example_what_it_says(file, example):
    outcome = examples.check(load_file(file, file.parent.parent), example, file.name)
    assert outcome.problems == ()


@pytest.mark.parametrize("file", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_rules_file_has_an_example(file):
    assert file.with_suffix(".py").exists() or file.with_suffix(".cpp").exists()


def test_ids_begin_with_their_engine_and_say_why():
    for rule in all_rules():
        assert rule.id.startswith(rule.engine + "."), rule.id
        assert rule.why.en or rule.guards_what.en, rule.id


@pytest.mark.parametrize("file", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_no_line_number_in_rules(file):
    assert not re.search(r"\.(py|cpp|h|cu):\d+|\bline[_ ]?\d+", file.read_text(encoding="utf-8"))


def test_generic_rules_name_no_state_of_an_engine():
    """Rules of `any` ask by use or for calls of libraries; a `Class.field` would be an engine's."""
    for rule in (r for r in all_rules() if r.engine == "any"):
        for _, cues in rule.actions:
            for cue in cues:
                assert all(s.startswith("{") for s in cue.state), rule.id
                assert not (cue.on or cue.within or cue.lift_to or cue.files or rule.files), rule.id
