"""A role through three versions: what stays one place, what is new, what ends, what is not here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.diff.sides import CACHE
from tracer.cli import main

RULE = """\
- id: lmcache.toy.index
  role: publish
  layer: host
  why: w
  actions: {commit: {op: insert, state: Index.rows}, unpublish: {op: remove, state: Index.rows}}
"""
RENAMED = CACHE.replace("def put", "def insert").replace("entry.ready and ", "")
WITHOUT = RENAMED.replace("            del self.rows[key]", "            pass")
HELPER = "    def _keep(self, key, entry: Entry):\n        self.rows[key] = entry\n\n    def pin"
LAST = WITHOUT.replace("self.rows[key] = entry", "self._keep(key, entry)").replace("    def pin", HELPER)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "rules" / "lmcache").mkdir(parents=True)
    (tmp_path / "rules" / "lmcache" / "toy.yaml").write_text(RULE)

    def found(*arguments: object) -> tuple[int, str, str]:
        status = main([*map(str, arguments)])
        return status, *capsys.readouterr()

    def keep(version: str, text: str) -> None:
        folder = tmp_path / version / "lmcache"
        folder.mkdir(parents=True)
        (folder / "cache.py").write_text(text)
        assert found("fetch", f"lmcache@{version}", "--from", folder.parent)[0] == 0

    keep("0.3.15", CACHE)
    keep("0.4.7", RENAMED)
    keep("0.5.6", LAST)
    return found


def test_a_place_is_followed_through_renames_and_helpers(run: Run, tmp_path: Path) -> None:
    asked = ("timeline", "publish", "lmcache", "--rules", tmp_path / "rules")
    status, out, _ = run(*asked, "--format", "json")
    assert status == 0
    document = json.loads(out)
    assert [e["version"] for e in document["engines"]] == ["0.3.15", "0.4.7", "0.5.6"]
    commit, drop = document["lines"]
    told = [(s["version"], s["symbol"].rsplit(".", 1)[1], s["kinds"]) for s in commit["stops"]]
    assert told == [
        ("0.3.15", "put", []),
        ("0.4.7", "insert", ["guard", "renamed"]),
        ("0.5.6", "_keep", ["moved"]),
    ]
    assert (drop["action"], [s["version"] for s in drop["stops"]], drop["ended"]) == (
        "unpublish",
        ["0.3.15", "0.4.7"],
        "0.5.6",
    )
    assert document["steps"][0] == {"from": "0.3.15", "to": "0.4.7", "counts": {"guard": 1, "renamed": 1}}
    text = run(*asked)[1]
    assert "    0.4.7         guard, renamed lmcache/cache.py:14  Index.insert" in text
    assert "    0.5.6         -" in text
    assert "| place | 0.3.15 | 0.4.7 | 0.5.6 |" in run(*asked, "--format", "md")[1]


def test_a_range_and_what_is_not_here(run: Run, tmp_path: Path) -> None:
    asked = ("timeline", "publish", "lmcache", "--rules", tmp_path / "rules", "--format", "json")
    document = json.loads(run(*asked, "--from", "0.4.7")[1])
    assert [e["version"] for e in document["engines"]] == ["0.4.7", "0.5.6"]
    assert document["lines"][0]["stops"][0]["kinds"] == []
    assert run(*asked, "--from", "0.5.6", "--to", "0.4.7")[0] == 2
    status, out, err = run("timeline", "publish", "vllm")
    assert (status, out) == (3, "")
    assert "none of these versions is in the cache" in err
