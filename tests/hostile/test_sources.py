"""Hostile files: each is surveyed and read without a crash, and nothing of it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile import corpus
from tracer.errors import TracerError
from tracer.model import lines_of
from tracer.reading.cpp import read_cpp
from tracer.reading.python import read_python
from tracer.survey import survey_file
from tracer.survey.facts import FileFacts
from tracer.survey.store import encode, names_of

_READ = 12  # definitions of one file
_LONGEST = 400  # lines of a span that is read whole

CASES = [
    *(pytest.param("x.py", data, id=f"python-{name}") for name, data in corpus.python_sources()),
    *(pytest.param("x.cpp", data, id=f"cpp-{name}") for name, data in corpus.cpp_sources()),
]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("path", "data"), CASES)
def test_a_hostile_file_gives_facts_or_a_reason_and_never_runs(path: str, data: bytes, place: Path) -> None:
    facts = survey_file(path, data)
    assert "\n" not in facts.problem
    assert facts.problem == facts.problem.encode("utf-8").decode("utf-8"), "a reason that can be stored and printed"
    names, body = encode(facts)
    assert names and body
    if facts.problem and not facts.problem.startswith("parsed"):
        assert names_of(facts)[0] == f"!{facts.problem}"
    spans = [(d.first, d.last, d.name) for d in facts.definitions if d.last - d.first < _LONGEST][:_READ]
    _read_all(path, data, spans, facts)
    assert not list(place.iterdir()), "code of a source ran, or a file was written"


def _read_all(path: str, data: bytes, spans: list[tuple[int, int, str]], facts: FileFacts) -> None:
    lines = lines_of(data)
    for first, last, name in spans:
        assert 1 <= first <= last <= max(facts.lines, len(lines))
        try:
            read = read_python(lines, first, last, name) if path == "x.py" else read_cpp(data, first, last, name)
        except TracerError as error:
            assert "\n" not in str(error)
        else:
            assert read.first >= 1


@pytest.mark.parametrize("text", corpus.TEXTS.values(), ids=corpus.TEXTS)
def test_a_pool_with_hostile_texts_is_read_like_any_other(text: str) -> None:
    facts = survey_file("x.py", corpus.pool(text).encode("utf-8", "surrogatepass"))
    assert not facts.problem
    assert {a.op for a in facts.accesses if a.target.startswith("self.blocks")} >= {"insert", "remove"}


def test_a_chain_of_conditions_that_would_end_the_process_is_refused() -> None:
    chain = "def f():\n    return " + " and ".join(["a"] * 20_000)
    with pytest.raises(TracerError, match="nested too deeply"):
        read_python(chain.split("\n"), 1, 2, "f")
    whole = "def f():\n    return " + " and ".join(["a"] * 100)
    assert read_python(whole.split("\n"), 1, 2, "f").body.statements
