"""Random harm to sources, rules and documents: whatever comes, a value or a `TracerError`, never another exception.

A bounded search in CI; `TRACER_FUZZ=100` multiplies it (`TRACER_FUZZ=100 pytest tests/fuzz`). The archive reader has
its own in `tests/unit/checkout/test_archive.py`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hostile import corpus
from tests.unit.trees import MemoryTree
from tests.unit.worlds import world_of
from tracer.cited import claims_of
from tracer.errors import TracerError
from tracer.evidence import verify
from tracer.model import digest_lines, lines_of
from tracer.reading.cpp import read_cpp
from tracer.reading.python import read_python
from tracer.rules import load_file
from tracer.survey import survey_file
from tracer.survey.store import encode

EXAMPLES = 40 * int(os.environ.get("TRACER_FUZZ", "1"))
bounded = settings(
    max_examples=EXAMPLES, deadline=None, derandomize="TRACER_FUZZ" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)  # fmt: skip

_PYTHON = [corpus.pool(text) for text in corpus.TEXTS.values()] + [
    data.decode("utf-8", "replace") for _, data in corpus.python_sources() if len(data) < 3_000
]
_CPP = [data.decode("utf-8", "replace") for _, data in corpus.cpp_sources() if len(data) < 3_000]
_WORDS = (
    "def ", "class ", "lambda ", "async ", "await ", "yield ", "with ", "match ", "case ", "try:", "finally:", "self.", "\n", "\n    ",
    "(", ")", "[", "]", "{", "}", ":", ",", "=", "+=", ":=", "*", "**", "->", "@", "'", '"', '"""', "f'{", "}'", "#", "\\\n", "\t", "\0",
    "template<", ">", "::", "namespace n {", "struct S {", "};", "#if ", "#endif\n", "#define X ", "/*", "*/", "//", 'R"(', ')"', "operator", "[&]",
)  # fmt: skip


@st.composite
def harmed(draw: st.DrawFn, seeds: list[str]) -> str:
    """A source of the corpus with pieces cut, doubled, swapped and put in."""
    text = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        to = draw(st.integers(at, min(len(text), at + 60)))
        piece = draw(st.one_of(st.sampled_from(_WORDS), st.text(max_size=8), st.just(text[at:to] * 2), st.just("")))
        text = text[:at] + piece + text[to:]
    return text


def _survey_and_read(path: str, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    facts = survey_file(path, data)
    encode(facts)
    lines = lines_of(data)
    for d in facts.definitions[:6]:
        assert 1 <= d.first <= d.line <= d.last
        try:
            if path == "x.py":
                read_python(lines, d.first, d.last, d.name)
            else:
                read_cpp(data, d.first, d.last, d.name)
        except TracerError:
            pass


@bounded
@given(text=harmed(_PYTHON))
def test_python(text: str) -> None:
    _survey_and_read("x.py", text)


@bounded
@given(text=harmed(_CPP))
def test_cpp(text: str) -> None:
    _survey_and_read("x.cpp", text)


@bounded
@given(data=st.binary(max_size=400), path=st.sampled_from(["x.py", "x.pyi", "x.cpp", "x.h", "x.cu"]))
def test_any_bytes(data: bytes, path: str) -> None:
    encode(survey_file(path, data))


@bounded
@given(texts=st.lists(harmed(_PYTHON), min_size=2, max_size=4))
def test_the_graph_of_harmed_files(texts: list[str]) -> None:
    from tracer.graph.edges import Edges
    from tracer.graph.uses import Uses

    files = {f"m{n}.py": text.replace("\r", "\n") for n, text in enumerate(texts)}
    try:
        world = world_of(files)
    except UnicodeEncodeError:  # half a surrogate cannot be a file of text
        return
    for edge in Edges(Uses(world)).all():
        assert edge.file in files and edge.line >= 1


_RULES = [text for text in corpus.rule_files().values() if len(text) < 3_000]


@bounded
@given(text=harmed(_RULES))
def test_rule_files(text: str, tmp_path: Path) -> None:
    file = tmp_path / "toy" / "x.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load_file(file, tmp_path)
    except TracerError as error:
        assert "\n" not in str(error)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["engines", "sites", "paths", "steps", "changes", "answers", "claims", "evidence", "name", "version",
                         "file", "first", "last", "line", "digest", "symbol", "before", "after", "faults", "cells", "engine"]),
        inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@bounded
@given(document=st.dictionaries(st.sampled_from(["engines", "sites", "paths", "changes", "answers", "faults"]), _values))
def test_saved_documents(document: dict[str, object]) -> None:
    document = {"engines": [{"name": "toy", "version": "1"}], **document}
    tree = MemoryTree({"a.py": "x = 1\n"})
    try:
        verify(document, lambda _name, _version: tree)
        list(claims_of(document))
    except TracerError as error:
        assert "\n" not in str(error)


_LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), max_size=12)


@bounded
@given(lines=st.lists(_LINE, min_size=3, max_size=12), data=st.data())
def test_a_changed_line_makes_every_citation_of_it_stale_or_moved(lines: list[str], data: st.DataObject) -> None:
    """One line is changed, put in or taken out: a citation stays ok only if its very lines still stand where it says."""
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    cited = lines[first - 1 : last]
    document = {
        "engines": [{"name": "toy", "version": "1"}],
        "sites": [{"symbol": "a", "file": "a.py", "first": first, "last": last, "digest": digest_lines(lines, first, last)}],
    }
    at = data.draw(st.integers(0, len(lines) - 1))
    how = data.draw(st.sampled_from(["change", "put in", "take out"]))
    now = list(lines)
    if how == "take out":
        del now[at]
    else:
        now[at : at + (how == "change")] = [data.draw(_LINE)]
    tree = MemoryTree({"a.py": "\n".join(now) + "\n"})
    (verdict,) = verify(document, lambda _name, _version: tree)
    stands = [line.rstrip() for line in now[first - 1 : last]] == [line.rstrip() for line in cited]
    if verdict.status == "ok":
        assert stands
    elif verdict.status == "moved":
        assert digest_lines(now, *verdict.now) == digest_lines(lines, first, last)
    else:
        assert not (stands and now[first - 1 : last] == cited), (how, at)


@pytest.mark.parametrize("change", range(3))
def test_evidence_of_every_line_of_a_file_is_caught_when_that_line_is_changed(change: int) -> None:
    lines = corpus.pool("text").rstrip("\n").split("\n")
    for number in range(1, len(lines) + 1):
        document = {
            "engines": [{"name": "toy", "version": "1"}],
            "sites": [{"symbol": "Pool.commit", "file": "a.py", "first": number, "last": number,
                       "digest": digest_lines(lines, number, number)}],
        }  # fmt: skip
        now = list(lines)
        now[number - 1] = [now[number - 1] + "  # other", "pass", now[number - 1].replace("e", "3") + "x"][change]
        tree = MemoryTree({"a.py": "\n".join(now) + "\n"})
        (verdict,) = verify(document, lambda _name, _version, tree=tree: tree)
        assert verdict.status in ("stale", "moved")
        if verdict.status == "moved":
            assert now[verdict.now[0] - 1] == lines[number - 1] and verdict.now[0] != number
