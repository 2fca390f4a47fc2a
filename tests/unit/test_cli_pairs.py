"""`pairs` and `order` from the command line: status, text and document, and what changes when a rule is changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tracer import catalog
from tracer.cli import main

SPEC = "lmcache@0.5.6"
SOURCE = """
class Block:
    def __init__(self):
        self.pins = 0
        self.dirty = False

class Cache:
    def copy(self, block: Block, ok):
        block.pins += 1
        if not ok:
            block.dirty = False
            return None
        block.pins -= 1
        return True

    def top(self, block: Block):
        return self.copy(block, True)
"""
ONE = "{op: augment-, state: Block.pins}"
BOTH = f"[{ONE}, {{op: write, state: Block.dirty}}]"
PAIR = """
- id: lmcache.pairs.toy
  role: protection
  layer: host
  why: A toy.
  acquire: {op: augment+, state: Block.pins}
  release: %s
"""


class Run:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        status = main([str(a) for a in arguments])
        out, err = self.capsys.readouterr()
        return status, out, err

    def pair(self, release: str, folder: str = "rules") -> Path:
        file = self.folder / folder / "pairs" / "lmcache.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAIR % release)
        return file.parent.parent


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    source = tmp_path / "source" / "lmcache"
    source.mkdir(parents=True)
    (source / "store.py").write_text(SOURCE.lstrip())
    found = Run(tmp_path, capsys)
    assert found("fetch", SPEC, "--from", tmp_path / "source")[0] == 0
    return found


def test_a_missing_release_is_status_one_and_a_changed_rule_changes_the_answer(run: Run) -> None:
    asked = ("pairs", "lmcache.pairs.toy", SPEC, "--rules")
    status, out, _ = run(*asked, run.pair(ONE))
    assert status == 1
    assert "11  return  missing  since 8, by 8 → 9 → 10 → 11" in out
    assert "missing" in run(*asked, run.pair(ONE), "--format", "md")[1]
    (result,) = json.loads(run(*asked, run.pair(ONE), "--format", "sarif")[1])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 11
    status, lines, _ = run(*asked, run.pair(ONE), "--format", "lines")
    assert lines.splitlines()[0].startswith("lmcache/store.py:11:13: warning: Cache.copy leaves by return")
    changed_rules = run.pair(BOTH, "changed")
    status, changed, _ = run(*asked, changed_rules, "--all")
    assert (status, "missing  since" in changed) == (0, False)
    assert "11  return  released  by lmcache/store.py:10" in changed
    document = json.loads(run(*asked, changed_rules, "--format", "json")[1])
    assert document["counts"] == {"functions": 1, "released": 2, "handed_over": 0, "missing": 0, "assumed": 0}
    assert document["functions"][0]["exits"][0]["by"] == {"file": "lmcache/store.py", "line": 10}
    assert [(row["symbol"].rpartition(".")[2], row["lines"]) for row in document["releases"]] == [("copy", [10, 12])]


def test_a_function_that_is_entered_holding(run: Run) -> None:
    rules = run.pair(ONE)
    file = rules / "pairs" / "lmcache.yaml"
    text = file.read_text().replace("acquire: {op: augment+, state: Block.pins}", "held: {define: Cache.copy}")
    file.write_text(text)
    status, out, _ = run("pairs", "lmcache.pairs.toy", SPEC, "--rules", rules)
    assert status == 1
    assert "copy  is entered holding it" in out
    assert "11  return  missing  since 7" in out


def test_nothing_that_holds_is_status_three(run: Run) -> None:
    status, _, err = run("pairs", "lmcache.pairs.toy", SPEC, "--in", "other/**", "--rules", run.pair(ONE))
    assert status == 3
    assert "tracer pairs all lmcache" in err
    assert run("pairs", "lmcache.pairs.toi", SPEC, "--rules", run.pair(ONE))[0] == 2
    own = catalog.config_dir() / "targets" / "fresh.yaml"  # an engine that somebody has just begun with
    own.parent.mkdir(parents=True)
    own.write_text((catalog.shipped("targets") / "lmcache.yaml").read_text().replace("name: lmcache", "name: fresh"))
    status, _, err = run("pairs", "all", "fresh")
    assert (status, "fresh has no pairs yet" in err) == (2, True)


def test_order(run: Run) -> None:
    status, out, _ = run("order", "Block.pins:augment+", "Block.pins:augment-", SPEC)
    assert (status, "Cache.copy  always" in out) == (0, True)
    status, out, _ = run("order", "Block.pins:augment-", "Block.pins:augment+", SPEC)
    assert (status, "Cache.copy  never" in out) == (1, True)
    assert run("order", "Block.pins:augment-", "Block.nothing", SPEC)[0] == 2


@pytest.mark.parametrize(
    "question",
    [
        ("pairs", "lmcache.pairs.toy", SPEC),
        ("order", "Block.pins:augment+", "Block.pins:augment-", SPEC),
        ("uses", "Block.pins", SPEC),
        ("discover", SPEC),
    ],
)
def test_asked_again_nothing_is_linked(run: Run, monkeypatch: pytest.MonkeyPatch, question: tuple[str, ...]) -> None:
    rules = ("--rules", run.pair(ONE)) if question[0] == "pairs" else ()
    first = run(*question, *rules)
    assert first[0] in (0, 1, 3)
    monkeypatch.setattr("tracer.graph.world.World.__init__", None)
    assert run(*question, *rules) == first
    if rules:
        with pytest.raises(TypeError):  # at another depth it is another question
            run(*question, *rules, "--depth", "1")
