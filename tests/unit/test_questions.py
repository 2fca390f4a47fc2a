"""Answers and the failure matrix from their files to what is printed, over a small invented engine in a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.test_cli import SPEC, STORE, run  # noqa: F401  (run is a fixture)
from tracer import catalog
from tracer.errors import RuleError
from tracer.questions import bank, content
from tracer.targets import names

Run = Callable[..., SimpleNamespace]
HOLDS = {"id": "toy.map-is-filled", "text": {"en": "The map is filled.", "zh": "表被填充。"},
         "exists": {"op": "insert", "state": "Index.map"}}  # fmt: skip
NO_LEASE = {"id": "toy.no-lease", "text": {"en": "There is no lease.", "zh": "没有租约。"},
            "absent": {"what": {"define": "Index.lease"}, "near": {"define": "Index.map"}}}  # fmt: skip


def said(en: str, *claims: str) -> dict[str, object]:
    return {"en": en, "zh": f"【{en}】", "claims": list(claims)}


def written(folder: Path, claims: list[dict[str, object]], **parts: object) -> Path:
    place = folder / "own" / "questions" / "lmcache"
    place.mkdir(parents=True, exist_ok=True)
    (place / "toy.yaml").write_text(json.dumps({"claims": claims, **parts}), encoding="utf-8")  # JSON is YAML
    return folder / "own"


ANSWERS = {
    "Q8": {
        "says": [said("It fills a map.", "toy.map-is-filled"), said("No lease <b>guards</b> it.", "toy.no-lease")],
        "unless": [said("Nothing is undone.", "toy.no-lease")],
    }
}


@pytest.fixture
def engine(run: Run, tmp_path: Path) -> Run:  # noqa: F811
    """The invented engine, fetched; `tracer` run on it."""
    folder = tmp_path / "source" / "lmcache"
    folder.mkdir(parents=True)
    (folder / "store.py").write_text(STORE, encoding="utf-8")
    assert run("fetch", SPEC, "--from", tmp_path / "source").status == 0
    return run


def test_an_answer_says_what_holds_and_shows_the_lines(engine: Run, tmp_path: Path) -> None:
    rules = written(tmp_path, [HOLDS, NO_LEASE], answers=ANSWERS)
    got = engine("answer", "q8", SPEC, "--rules", rules)
    assert got.status == 0, got.err
    assert "It fills a map." in got.out
    assert "lmcache/store.py:7" in got.out
    (answer,) = json.loads(engine("answer", "Q8", SPEC, "--rules", rules, "--format", "json").out)["answers"]
    assert answer["text"]["en"] == "It fills a map. No lease <b>guards</b> it."
    assert [c["verdict"] for c in answer["claims"]] == ["holds", "holds"]
    assert answer["claims"][0]["evidence"][0]["digest"]


def test_a_claim_that_turns_changes_the_text_and_the_status(engine: Run, tmp_path: Path) -> None:
    turned = {**NO_LEASE, "absent": {"define": "Index.map"}}
    rules = written(tmp_path, [HOLDS, turned], answers=ANSWERS)
    got = engine("answer", "Q8", SPEC, "--rules", rules)
    assert got.status == 1
    assert "[Does not hold in this version] No lease" in got.out
    document = json.loads(engine("answer", "Q8", SPEC, "--rules", rules, "--format", "json").out)
    assert document["answers"][0]["text"]["en"] == "It fills a map."
    assert document["answers"][0]["claims"][1]["verdict"] == "fails"
    chinese = engine("answer", "Q8", SPEC, "--rules", rules, "--lang", "zh").out
    assert "【It fills a map.】" in chinese
    assert "[在此版本不成立] 【No lease" in chinese


def test_pages_are_whole_and_escaped(engine: Run, tmp_path: Path) -> None:
    cell = {"not_handled": said("Nothing <i>tells</i>.", "toy.no-lease")}
    rules = written(tmp_path, [HOLDS, NO_LEASE], answers=ANSWERS, faults={"two-writers": cell})
    for command in (("answer", "Q8"), ("faults",)):
        page = engine(*command, SPEC, "--rules", rules, "--format", "html").out
        assert page.rstrip().endswith("</html>")
        assert "<style>" in page
        assert "<script" not in page and "src=" not in page
        assert "<b>guards" not in page and "<i>tells" not in page
        assert "lmcache/store.py:3" in page
        assert "lmcache/store.py" in engine(*command, SPEC, "--rules", rules, "--format", "md").out


def test_the_matrix_has_no_empty_cell(engine: Run, tmp_path: Path) -> None:
    cell = {"handled": {k: said(f"{k}!", "toy.map-is-filled") for k in ("detects", "memory", "request")}}
    parts = {"two-writers": cell, "peer-dies": {"not_applicable": {"en": "It has no peer.", "zh": "没有对端。"}}}
    rules = written(tmp_path, [HOLDS], faults=parts)
    got = engine("faults", SPEC, "--rules", rules)
    assert "detected by: detects!" in got.out
    assert "It has no peer." in got.out
    document = json.loads(engine("faults", SPEC, "--rules", rules, "--format", "json").out)
    assert len(document["faults"]) == 16
    kinds = {row["fault"]: row["cells"][0]["kind"] for row in document["faults"]}
    assert (kinds["two-writers"], kinds["peer-dies"]) == ("handled", "not_applicable")
    unwritten = {fault for fault, kind in kinds.items() if not kind}
    assert {gap["what"].split()[0] for gap in document["gaps"]} == unwritten


def test_claims_lists_and_picks(engine: Run, tmp_path: Path) -> None:
    rules = written(tmp_path, [HOLDS, NO_LEASE])
    got = engine("claims", SPEC, "--rules", rules, "--only", "toy.no-l")
    assert got.status == 2  # ids are taken at their dots and dashes
    got = engine("claims", SPEC, "--rules", rules, "--only", "toy")
    assert got.status == 0
    assert "2 claims: 2 holds" in got.out
    assert engine("claims", SPEC, "--rules", rules, "--only", "toy.no-lease", "--format", "json").status == 0


def test_an_answer_that_nobody_wrote_is_a_gap(engine: Run, tmp_path: Path) -> None:
    sentence = [said("x", "toy.map-is-filled")]
    old = {"versions": "<0.1", "says": sentence, "unless": sentence}
    rules = written(tmp_path, [HOLDS], answers={"Q8": [old]})
    got = engine("answer", "Q8", SPEC, "--rules", rules)
    assert got.status == 3
    assert "no answer is written" in got.out


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"answers": {"Q8": {"says": [said("x", "toy.none")], "unless": [said("y", "toy.no-lease")]}}}, "'toy.none'"),
        ({"answers": {"Q19": {"says": [said("x", "toy.no-lease")], "unless": []}}}, "'Q19'"),
        ({"faults": {"two-writer": {"not_applicable": {"en": "x", "zh": "x"}}}}, "two-writers"),
        ({"faults": {"two-writers": {"handled": {"detects": said("x", "toy.no-lease")}}}}, "two-writers"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, parts: dict[str, object], told: str) -> None:
    rules = written(tmp_path, [HOLDS, NO_LEASE], **parts)
    with pytest.raises(RuleError, match=r"lmcache/toy\.yaml") as error:
        content("lmcache", (rules,))
    assert told in str(error.value)


def test_the_bank_asks_eighteen_questions_and_has_sixteen_faults() -> None:
    assert list(bank().questions) == [f"Q{n}" for n in range(1, 19)]
    assert len(bank().faults) == 16
    assert all(t.en and t.zh for t in (*bank().questions.values(), *bank().faults.values()))


@pytest.mark.parametrize("engine_name", names())
def test_what_ships_can_be_read_and_names_no_line(engine_name: str) -> None:
    found = content(engine_name)
    assert all(c.id.startswith(f"{engine_name}.") for c in found.claims)
    folder = catalog.shipped("rules") / "questions" / engine_name
    for file in sorted(folder.glob("*.yaml")):
        assert ".py:" not in (text := file.read_text(encoding="utf-8")) and ".cpp:" not in text
