"""What must hold of every answer on a real engine, whatever the answer is."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tracer import catalog
from tracer.cli import main
from tracer.evidence import digest_lines, lines_of, verify
from tracer.model import BASES, LAYERS, SourceTree, Trace
from tracer.render import json as documents
from tracer.render.report import Subject, make
from tracer.rules import rules_for

pytestmark = [pytest.mark.engine, pytest.mark.network]
CORE = ("request_state", "publish", "protection", "completion")


@pytest.mark.parametrize("role", CORE)
def test_each_core_role_is_found(answer: Trace, role: str) -> None:
    assert any(site.role == role for site in answer.sites)


def test_every_site_reads_as_it_says(tree: SourceTree, answer: Trace) -> None:
    lines = {file: lines_of(tree.read(file)) for file in {site.file for site in answer.sites}}
    wrong = [s for s in answer.sites if digest_lines(lines[s.file], s.first, s.last) != s.digest]
    assert wrong == []


def test_every_site_lies_in_the_function_it_names(tree: SourceTree, answer: Trace) -> None:
    for site in answer.sites:
        leaf = re.split(r"\.|::", site.symbol)[-1]
        head = "\n".join(lines_of(tree.read(site.file))[site.def_line - 1 : site.def_line + 2])
        module_level = site.def_line == 1
        assert module_level or leaf.split("<")[0] in head, f"{site.file}:{site.def_line} does not define {site.symbol}"


def test_names_and_places_are_those_of_the_closed_lists(answer: Trace) -> None:
    for site in answer.sites:
        assert site.layer in LAYERS
        assert site.basis in BASES
        assert not site.context, "tests and mocks are shown only when asked for"
        assert not Path(site.file).is_absolute()
        assert 0 < site.first <= site.last


def test_a_statement_is_given_once_for_each_action(answer: Trace) -> None:
    counted = Counter((s.role, s.action, s.file, s.first) for s in answer.sites)
    assert [key for key, n in counted.items() if n > 1] == []


def test_no_rule_is_silent_where_it_promised_sites(tree: SourceTree, answer: Trace) -> None:
    known = {rule.id for rule in rules_for(tree.engine, tree.version)}
    assert [gap for gap in answer.gaps if gap.what in known] == []


def test_permalinks_point_at_the_very_lines(answer: Trace) -> None:
    revision = answer.engines[0].revision
    ref = revision.commit or revision.tag
    for site in answer.sites:
        assert f"/blob/{ref}/{site.file}#L{site.first}" in site.permalink


def test_a_saved_answer_verifies(tree: SourceTree, answer: Trace) -> None:
    document = json.loads(documents.dumps(documents.where([answer])))
    assert {v.status for v in verify(document, lambda _engine, _version: tree)} == {"ok"}


def test_the_report_prints_every_site_and_re_reads_it(tree: SourceTree, answer: Trace) -> None:
    report = make("all", [Subject(answer, tree)])
    page = next(text for name, text in report.files.items() if name.endswith(".md") and name != "index.md")
    assert [v.status for v in report.verdicts] == ["ok"] * len(answer.sites)
    for site in answer.sites:
        assert f"`{site.file}:{site.first}" in page


def test_asking_twice_gives_the_same_bytes(tree: SourceTree, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for _ in range(2):
        main(["where", "publish", tree.engine, "--format", "json"])
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert str(catalog.cache_dir()) not in said[0]


def test_rules_hold_no_line_number(tree: SourceTree) -> None:
    """A rule names the state that carries a role; one that named the line would hold for one version only."""
    rules = catalog.shipped("rules") / tree.engine
    text = "\n".join(f.read_text(encoding="utf-8") for f in sorted(rules.glob("*.yaml")))
    assert not re.search(r"\.(py|cpp|h|cuh?):\d+", text)
