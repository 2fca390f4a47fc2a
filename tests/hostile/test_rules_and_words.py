"""Hostile rule files, and what may be given as a name, a version, a symbol or a file: one line and a status, always."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hostile import corpus
from tracer.cli import main
from tracer.errors import RuleError
from tracer.rules import load_file


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRACER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


@pytest.mark.parametrize("text", corpus.rule_files().values(), ids=corpus.rule_files())
def test_a_hostile_rule_file_is_refused_in_one_line(text: str, place: Path) -> None:
    file = place / "rules" / "toy" / "x.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text, "utf-8")
    with pytest.raises(RuleError) as caught:
        load_file(file, place / "rules")
    said = str(caught.value)
    assert "toy/x.yaml" in said and len(said) < 1_000 and said.count("\n") == 0
    assert not (place / "here" / corpus.PWNED).exists()


def one_line(capsys: pytest.CaptureFixture[str], status: int) -> None:
    told = capsys.readouterr()
    assert status in (2, 3), told
    assert told.out == ""
    assert told.err.startswith("tracer: ") and told.err.count("\n") == 1
    assert "Traceback" not in told.err and "\x1b" not in told.err and "\u202e" not in told.err
    assert len(told.err) < 1_500


@pytest.mark.parametrize("word", corpus.WORDS, ids=range(len(corpus.WORDS)))
def test_a_hostile_version_is_one_line(word: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one_line(capsys, main(["where", "publish", "--", word]))
    assert not list((place / "here").iterdir())


@pytest.mark.parametrize("word", corpus.NAMES, ids=range(len(corpus.NAMES)))
@pytest.mark.parametrize("command", ["uses", "drives", "pairs", "relay", "answer", "path"])
def test_a_hostile_name_is_one_line(command: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    engine = "lmcache@0.0.0.none"
    given = [command, "--", word, word, engine] if command == "path" else [command, "--", word, engine]
    one_line(capsys, main(given))


@pytest.mark.parametrize("text", corpus.DOCUMENTS.values(), ids=corpus.DOCUMENTS)
def test_a_hostile_document_is_one_line(text: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "saved.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    one_line(capsys, main(["verify", str(file)]))


@pytest.mark.parametrize("path", ["../../../etc/passwd", "/etc/passwd", "a/../../b.py", "\0.py", "x" * 5_000])
def test_a_document_cannot_make_verify_read_elsewhere(
    path: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.unit.trees import MemoryTree
    from tracer import evidence

    document = {
        "engines": [{"name": "toy", "version": "1"}],
        "sites": [{"symbol": "a.b", "file": path, "first": 1, "last": 1, "digest": "0" * 16}],
    }
    read = MemoryTree({"a.py": "x = 1\n"})
    verdicts = evidence.verify(json.loads(json.dumps(document)), lambda _name, _version: read)
    assert [v.status for v in verdicts] == ["stale"]
