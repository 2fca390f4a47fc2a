"""A place that is named holds the statement that is meant: told by plain text, whatever the layout of the file."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given

from tests.fuzz.grown import Grown, cpp_sources, python_sources
from tests.fuzz.test_fuzz import bounded
from tests.unit.trees import MemoryTree
from tracer.answers import uses
from tracer.evidence import judged
from tracer.files import Files
from tracer.graph.edges import Edges
from tracer.graph.uses import Uses
from tracer.graph.world import World
from tracer.model import Site, lines_of
from tracer.render import graphs
from tracer.reread import claims_in
from tracer.roles import Roles
from tracer.rules import Rule, load_file
from tracer.survey import survey, survey_file
from tracer.survey.store import Store
from tracer.targets import Target

RULE = """\
- id: toy.publish.entries
  role: publish
  layer: host
  state: Pool.entries
  why: What lookups read.
  actions: {commit: {op: insert}}
"""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rule, ...]:
    folder = tmp_path_factory.mktemp("rules")
    file = folder / "toy" / "publish.yaml"
    file.parent.mkdir()
    file.write_text(RULE, encoding="utf-8")
    return load_file(file, folder)


def _check(path: str, grown: Grown, rules: tuple[Rule, ...]) -> None:
    tree, lines = MemoryTree({path: grown.data}, "lmcache"), lines_of(grown.data)
    facts = survey_file(path, grown.data)
    assert not facts.problem
    for d in facts.definitions:
        assert re.search(rf"\b{re.split(r'[.:]', d.name)[-1]}\b", lines[d.line - 1]), (d.name, d.line)
    for call in facts.calls:
        if call.callee in grown.marks:
            assert f"{call.callee}(" in lines[call.line - 1], call
    world = World([(survey(tree, Store(Path(":memory:"))), Target("lmcache", "Toy", "https://example.org/t", ("",)))])
    (found,) = Roles(world).apply(rules)
    assert _told(found.sites, lines) == sorted((mark, *where) for mark, where in grown.marks.items())
    spans = [(first, last) for _, first, last in grown.marks.values()]
    lines_used = [u.line for u in uses(world, "Pool.entries", "insert")]
    assert all(any(first <= line <= last for first, last in spans) for line in lines_used), lines_used
    assert all(any(first <= line <= last for line in lines_used) for first, last in spans), lines_used
    files = Files(lambda _engine, _version: tree)
    printed = "".join(graphs.write(Edges(Uses(world)).all(), "jsonl")).encode()
    verdicts = judged(claims_in(printed, files, {"lmcache": "1.0"}), files) if printed else []
    assert [v for v in verdicts if v.status != "ok"] == []


def _told(sites: list[Site] | tuple[Site, ...], lines: list[str]) -> list[tuple[str, str, int, int]]:
    """What stands on the lines of each site: its mark, with the site's function and lines."""
    found = []
    for site in sites:
        marks = re.findall(r"mark_\d+(?=\()", "\n".join(lines[site.first - 1 : site.last]))
        assert len(marks) == 1, (site, marks)
        found.append((marks[0], re.split(r"[.:]", site.symbol)[-1], site.first, site.last))
    return sorted(found)


@bounded
@given(grown=python_sources())
def test_places_in_python(grown: Grown, rules: tuple[Rule, ...]) -> None:
    statements = {(n.lineno, n.end_lineno) for n in ast.walk(ast.parse(grown.data)) if isinstance(n, ast.stmt)}
    assert {(first, last) for _, first, last in grown.marks.values()} <= statements, "the grower errs"
    _check("toy/x.py", grown, rules)


@bounded
@given(grown=cpp_sources())
def test_places_in_cpp(grown: Grown, rules: tuple[Rule, ...]) -> None:
    _check("toy/x.cpp", grown, rules)
