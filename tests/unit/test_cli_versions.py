"""`diff` from the command line: status, text, Markdown and document; pins, folders, claims and defaults."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.diff.sides import CACHE
from tracer.cli import main

OLD, NEW = "lmcache@0.4.7", "lmcache@0.5.6"
RULE = """\
- id: lmcache.toy.index
  role: publish
  layer: host
  why: w
  actions: {commit: {op: insert, state: Index.rows}}
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "rules" / "lmcache").mkdir(parents=True)
    (tmp_path / "rules" / "lmcache" / "toy.yaml").write_text(RULE)

    def found(*arguments: object) -> tuple[int, str, str]:
        status = main([str(a) for a in arguments])
        return status, *capsys.readouterr()

    for spec, text in ((OLD, CACHE), (NEW, CACHE.replace("entry.ready and ", ""))):
        folder = checkout(tmp_path / spec, {"cache.py": text})
        assert found("fetch", spec, "--from", folder)[0] == 0
    return found


def checkout(place: Path, files: dict[str, str]) -> Path:
    (place / "lmcache").mkdir(parents=True)
    for name, text in files.items():
        (place / "lmcache" / name).write_text(text)
    return place


def test_a_changed_condition_in_every_format_and_as_a_status(run: Run, tmp_path: Path) -> None:
    asked = ("diff", OLD, NEW, "--only", "sites", "--rules", tmp_path / "rules")
    status, out, _ = run(*asked)
    assert status == 0
    assert "guard   publish · commit · host  lmcache.toy.index" in out
    assert "- lmcache/cache.py:14" in out
    assert "- entry.ready" in out
    assert "0 breaking, 1 behaviour, 0 place; 1 places before, 1 after, 1 paired" in out
    document = json.loads(run(*asked, "--format", "json")[1])
    assert document["schema"] == "tracer.diff/1"
    assert [e["version"] for e in document["engines"]] == ["0.4.7", "0.5.6"]
    (change,) = document["changes"]
    assert (change["what"], change["id"], change["kind"]) == ("site", "lmcache.toy.index", "guard")
    assert (change["before"]["symbol"], change["before"]["first"]) == ("lmcache.cache.Index.put", 14)
    assert change["after"]["file"] == "lmcache/cache.py"
    saved = tmp_path / "diff.json"
    saved.write_text(json.dumps(document))
    assert "2 ok" in run("verify", saved)[1]
    change["after"]["digest"] = "0" * 32
    saved.write_text(json.dumps(document))
    assert run("verify", saved)[0] == 1
    md = run(*asked, "--format", "md", "--excerpts")[1]
    assert "| change | before | after |" in md
    assert "> 14 |             self.rows[key] = entry" in md
    (result,) = json.loads(run(*asked, "--format", "sarif")[1])["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("diff.guard", "warning")
    lines = run(*asked, "--format", "lines")[1].splitlines()
    assert lines[0].startswith("lmcache/cache.py:14:13: warning: guard: publish · commit · host; Index.put")
    assert run(*asked, "--fail-on", "breaking")[0] == 0
    assert run(*asked, "--fail-on", "any")[0] == 1
    assert run(*asked, "--role", "completion")[0] == 3


def test_a_version_against_itself_has_no_change_in_any_part(run: Run) -> None:
    document = json.loads(run("diff", OLD, OLD, "--format", "json")[1])
    assert document["changes"] == []
    assert document["ignored"]["claims with the same outcome"] > 0


def test_asked_again_nothing_is_compared(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkout(tmp_path / "work", {"x.py": CACHE})
    question = ("diff", OLD, f"{folder}/", "--format", "json", "--rules", tmp_path / "rules")
    first = run(*question)
    monkeypatch.setattr("tracer.diff.Comparison", None)
    assert first[1] and run(*question) == first
    (folder / "lmcache" / "x.py").write_text(CACHE.replace("entry.ready and ", ""))
    with pytest.raises(TypeError):  # another source is another question
        run(*question)


def test_a_working_folder_against_a_pin(run: Run, tmp_path: Path) -> None:
    same = checkout(tmp_path / "moved", {"host.py": "# a comment\n" + CACHE.replace("    def put", "\n    def put")})
    asked = ("--only", "sites", "--rules", tmp_path / "rules", "--fail-on", "any", "--format", "json")
    status, out, _ = run("diff", f"{same}/", OLD, *asked)
    assert status == 0
    assert [c["kind"] for c in json.loads(out)["changes"]] == ["moved"]
    assert json.loads(out)["engines"][0]["version"].startswith("folder-")
    other = checkout(tmp_path / "other", {"cache.py": CACHE.replace("self.rows[key] = entry", "pass")})
    status, out, _ = run("diff", OLD, f"{other}/", *asked)
    assert status == 1
    found = {(c["what"], c["kind"], c["severity"]) for c in json.loads(out)["changes"]}
    assert found == {("site", "removed", "behaviour"), ("rule", "removed", "breaking")}


def test_a_default_that_differs(run: Run, tmp_path: Path) -> None:
    claims = tmp_path / "rules" / "questions" / "lmcache"
    claims.mkdir(parents=True)
    (claims / "toy.yaml").write_text(
        "claims:\n"
        "  - id: lmcache.toy.limit\n"
        "    text: {en: The limit is eight., zh: 上限为八。}\n"
        "    value_is: {of: LIMIT, in: ['**/limits.py'], is: 8}\n"
    )
    for name, value in (("eight", "8"), ("eight-again", "8  # rows"), ("nine", "9")):
        checkout(tmp_path / name, {"limits.py": f"LIMIT = {value}\n", "cache.py": CACHE})
    asked = ("--only", "defaults", "--only", "claims", "--rules", tmp_path / "rules", "--format", "json")
    run("fetch", OLD, "--from", tmp_path / "eight")
    same = json.loads(run("diff", OLD, f"{tmp_path}/eight-again", *asked)[1])
    assert [c["id"] for c in same["changes"] if "toy" in c["id"] or c["what"] == "default"] == []
    changes = json.loads(run("diff", OLD, f"{tmp_path}/nine", *asked)[1])["changes"]
    told = {(c["what"], c["id"], c["kind"], c["severity"], c["detail"]) for c in changes}
    assert told == {
        ("default", "LIMIT", "claim", "behaviour", "8 → 9"),
        ("claim", "lmcache.toy.limit", "claim", "breaking", "holds → fails: The limit is eight."),
    }


def test_what_cannot_be_compared(run: Run, tmp_path: Path) -> None:
    assert "two engines" in run("diff", OLD, "vllm@0.33.0")[2]
    assert "name one side as ENGINE@VERSION" in run("diff", f"{tmp_path}/", f"{tmp_path}/")[2]
    assert run("diff", OLD, NEW, "--role", "publsh")[0] == 2
    assert run("diff", OLD, NEW, "--only", "site")[0] == 2


def test_html_is_one_escaped_page_with_both_sides(run: Run, tmp_path: Path) -> None:
    evil = CACHE.replace("entry.ready and", "entry.ready and '</pre><script>alert(1)</script>' and")
    folder = checkout(tmp_path / "mine", {"cache.py": evil})
    status, out, _ = run("diff", folder, NEW, "--only", "sites", "--rules", tmp_path / "rules", "--format", "html")
    assert status == 0
    assert out.startswith("<!doctype html>")
    assert "<script" not in out
    assert "&lt;/pre&gt;&lt;script&gt;" in out
    assert out.count('<div class="side before">') == out.count('<div class="side after">') == 1
    assert 'src="' not in out
    assert "&gt; 14 |" in out.replace("&gt;  14", "&gt; 14")  # the decisive line, marked
