"""The claims that ship: on the newest pins all of them hold, and none names the function that is its evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engines.test_rules_name_no_answer import cues, named_functions, of_an_interface
from tracer.claims.model import Predicate
from tracer.cli import main
from tracer.graph.world import World
from tracer.model import SourceTree
from tracer.questions import bank, check, content, named
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import target

pytestmark = [pytest.mark.engine, pytest.mark.network]


def everything(predicate: Predicate) -> list[Predicate]:
    return [predicate, *(p for inner in predicate.inner for p in everything(inner))]


def test_every_claim_holds_or_does_not_apply(tree: SourceTree) -> None:
    checked = check(tree.engine, lambda said: named(said, ())).checked
    assert {c.id: (c.verdict, c.why) for c in checked.values() if c.verdict not in ("holds", "not_applicable")} == {}
    assert all(c.evidence or c.searches for c in checked.values() if c.verdict == "holds")


def test_no_claim_names_a_function_that_is_its_evidence(tree: SourceTree) -> None:
    world = World([(survey(tree, Store()), target(tree.engine))])
    verdicts = check(tree.engine, lambda said: named(said, ()))
    guilty = set()
    for claim in verdicts.content.claims:
        shown = {e.symbol for e in verdicts.checked[claim.id].evidence}
        for predicate in everything(claim.predicate):
            for pick in (pick for part in predicate.parts.values() for pick in part.picks if pick.cue is not None):
                for cue in cues(pick.cue):  # type: ignore[arg-type]
                    for pattern, function in named_functions(world, cue):
                        if world.symbol(function) in shown and not of_an_interface(world, function):
                            guilty.add((claim.id, pattern))
    assert sorted(guilty) == []


def test_every_question_and_fault_has_an_answer(tree: SourceTree) -> None:
    said = content(tree.engine)
    if len(said.answers) < 4:
        pytest.skip(f"the answers of {tree.engine} are not written yet")
    assert set(bank().questions) - set(said.answers) == set()
    assert set(bank().faults) - set(said.faults) == set()


def test_what_is_printed_is_still_so(tree: SourceTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["claims", tree.engine, "--format", "json"])
    document = capsys.readouterr().out
    (tmp_path / "claims.json").write_text(document, encoding="utf-8")
    if not json.loads(document)["claims"]:
        pytest.skip(f"nothing is claimed of {tree.engine} yet")
    assert main(["verify", str(tmp_path / "claims.json")]) == 0
    assert " 0 ok" not in capsys.readouterr().out
