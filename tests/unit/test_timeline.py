"""A role through three versions: what stays one place, what is new, what ends, what is not here."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree
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


def test_every_tag_of_a_clone(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "clone"
    (place / "lmcache").mkdir(parents=True)

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *who, *arguments], cwd=place, check=True, capture_output=True)

    git("init", "-q")
    for tag, text in (("v0.9.0", CACHE), ("v0.9.1", CACHE + "\n"), ("v0.9.2", RENAMED), ("v0.10.0", WITHOUT)):
        (place / "lmcache" / "cache.py").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", tag)
        git("tag", tag)
    asked = ("timeline", "publish", "lmcache", "--all", "--clone", place, "--workers", 1, "--rules", tmp_path / "rules")
    document = json.loads(run(*asked, "--format", "json")[1])
    assert [e["version"] for e in document["engines"]] == ["0.9.0", "0.9.1", "0.9.2", "0.10.0"]
    assert [s["counts"] for s in document["steps"]] == [{}, {"guard": 1, "renamed": 1}, {"removed": 1}]
    assert [(r["files"], r["fresh"]) for r in document["releases"]] == [(1, 1)] * 4
    out = run(*asked)[1]
    assert "0.9.0 → 0.9.1: no change" in out
    assert "4 releases: 4 files, 4 of them (100 %) new by content; 0 surveyed now" in out
    picture = run(*asked, "--format", "svg")[1]
    assert xml.etree.ElementTree.fromstring(picture).tag.endswith("svg")
    assert "0.9.2, guard, renamed, lmcache/cache.py:14" in picture
    assert "  0.10.0 : 1 removed : 1 places" in run(*asked, "--format", "mermaid")[1].splitlines()
    assert run(*asked[:5], "--from", "0.9.2")[0] == 2  # --clone without --all
    broken = json.loads(run(*asked, "--from", "0.9.1", "--to", "v0.9.2", "--format", "json")[1])
    assert [e["version"] for e in broken["engines"]] == ["0.9.1", "0.9.2"]


PAIR = """\
- id: lmcache.pairs.toy
  role: protection
  layer: host
  why: {en: w, zh: w}
  result: always
  acquire: {op: augment+, state: Entry.pins}
  release: {op: augment-, state: Entry.pins}
"""
USER = """

def use(entry: Entry, ok):
    entry.pins += 1
    if not ok:
        return None
    entry.pins -= 1
    return 1
"""


def test_exits_that_miss_a_release_come_and_go(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rules" / "pairs").mkdir()
    (tmp_path / "rules" / "pairs" / "lmcache.yaml").write_text(PAIR)
    mended = USER.replace("        return None", "        entry.pins -= 1\n        return None")
    for version, text in (("0.3.15", CACHE + mended), ("0.4.7", CACHE + USER), ("0.5.6", CACHE + mended)):
        (tmp_path / version / "lmcache" / "cache.py").write_text(text)
        assert run("fetch", f"lmcache@{version}", "--from", tmp_path / version)[0] == 0
    asked = ("timeline", "lmcache.pairs.toy", "lmcache", "--workers", 1, "--rules", tmp_path / "rules")
    status, out, error = run(*asked)
    assert (status, error) == (0, "")  # the newest has none
    assert "exits that miss a release: 0.3.15 0, 0.4.7 1, 0.5.6 0" in out
    assert "claim" in next(line for line in out.splitlines() if "1 of 2 exits miss a release" in line)
    status, out, _ = run(*asked, "--to", "0.4.7", "--format", "json")
    assert status == 1
    document = json.loads(out)
    assert [r["wrong"] for r in document["releases"]] == [0, 1]
    assert document["role"] == "pairs lmcache.pairs.toy"


def test_an_unknown_name_has_near_ones(run: Run) -> None:
    status, _, error = run("timeline", "publissh-no-such", "lmcache")
    assert (status, "there is no claim" in error) == (2, True)
