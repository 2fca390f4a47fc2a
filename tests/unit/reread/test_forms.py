"""Every form of every answer is re-read; each changed line of a source is caught in each form that cites it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.reread.answers import FILES, ToyTree, forms
from tracer.cited import Claim
from tracer.evidence import Verdict, judged
from tracer.files import Files
from tracer.model import SourceTree
from tracer.reread import claims_in, texts

SPECS = {"toy": "2.0"}
WITHOUT = ("atlas/budget.html",)  # holds no place of a source


class Forms:
    def __init__(self, place: Path) -> None:
        self.printed, self.trees = forms(place)
        self.files = Files(self.trees)
        self.claims = {name: claims_in(data, self.files, SPECS) for name, data in self.printed.items()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forms]:
    patch = pytest.MonkeyPatch()
    patch.setenv("TRACER_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    patch.setattr(texts, "names", lambda: ("toy",))
    texts._patterns.cache_clear()
    yield Forms(tmp_path_factory.mktemp("forms"))
    patch.undo()
    texts._patterns.cache_clear()


def test_every_form_cites_and_all_of_it_reads_as_it_was_printed(made: Forms) -> None:
    for name, claims in made.claims.items():
        verdicts = judged(claims, made.files)
        assert [v for v in verdicts if v.status != "ok"] == [], name
    of_toy = {name for name, claims in made.claims.items() if any(c.file in FILES for c in claims)}
    answers = {name for name in made.printed if not name.startswith("atlas/")}
    assert answers <= of_toy, answers - of_toy
    assert sum(1 for name in of_toy if name.startswith("atlas/")) >= 4


def test_all_forms_of_one_answer_cite_the_same_lines(made: Forms) -> None:
    def cited(name: str) -> set[tuple[str, int]]:
        return {(c.file, c.first) for c in made.claims[name] if not c.quoted}

    for form in ("txt", "md", "lines", "scip", "html"):
        assert cited(f"where.{form}") == cited("where.json"), form
    for form in ("txt", "md"):
        assert cited(f"uses.{form}") == cited("uses.json"), form
    for form in ("txt", "mmd", "dot"):
        assert cited(f"path.{form}") == cited("path.json"), form
    assert cited("drives.txt") < cited("drives.json"), "a document also says where each function begins"
    assert cited("relay.txt") >= {place for place in cited("relay.json") if place[0] == "toy/pool.py"}
    for name in ("graph.graphml", "graph.dot"):
        assert cited(name) == cited("graph.jsonl"), name


def _harmed(lines: list[str], at: int, how: str) -> list[str]:
    if how == "delete":
        return lines[: at - 1] + lines[at:]
    if how == "insert":
        return [*lines[: at - 1], "x = 0", *lines[at - 1 :]]
    return [*lines[: at - 1], lines[at - 1] + "  # other", *lines[at:]]


def _again(made: Forms, file: str, lines: list[str], claims: list[Claim]) -> list[Verdict]:
    """The verdicts where `file` of 2.0 reads otherwise; the source that was asked about can still be had."""
    tree = ToyTree({**FILES, file: "\n".join(lines) + "\n"}, "2.0")

    def now(engine: str, version: str) -> SourceTree:
        return made.trees(engine, version) if version == "1.0" else tree

    return judged(claims, made.files, Files(now))


def _rests_on(claim: Claim, file: str, at: int) -> bool:
    lines = (*range(claim.first, claim.last + 1), claim.def_line)
    return (claim.version, claim.file) == ("2.0", file) and at in lines


_PLACES = [(file, at) for file, text in FILES.items() for at in range(1, text.count("\n") + 1)]


@pytest.mark.parametrize("how", ["change", "delete", "insert"])
def test_a_changed_line_is_caught_in_every_form_that_cites_it(how: str, made: Forms) -> None:
    caught = dict.fromkeys(made.claims, 0)
    for file, at in _PLACES:
        before = FILES[file].split("\n")[:-1]
        lines = _harmed(before, at, how)
        for name, claims in made.claims.items():
            for v in _again(made, file, lines, claims):
                c = v.claim
                touched = _rests_on(c, file, at)
                same = lines[c.first - 1 : c.last] == before[c.first - 1 : c.last]
                if c.version != "2.0" or c.file != file:
                    assert v.status == "ok", (name, c)
                elif touched and not same:
                    assert v.status in ("stale", "moved"), (name, how, at, c)
                    caught[name] += 1
                elif v.status == "ok":
                    assert same, (name, how, at, c)
    assert {name for name, n in caught.items() if not n and not name.startswith("atlas/")} == set()


def test_documents_catch_it_without_the_source_that_they_were_made_from(made: Forms) -> None:
    """Their own digests suffice: in place, as when a folder is edited after it was asked about."""
    for file, at in random.Random(1).sample(_PLACES, 20):
        before = FILES[file].split("\n")[:-1]
        lines = _harmed(before, at, "change")
        tree = ToyTree({**FILES, file: "\n".join(lines) + "\n"}, "2.0")
        edited = Files(lambda e, v, tree=tree: made.trees(e, v) if v == "1.0" else tree)
        for name in (n for n in made.claims if n.endswith(".json") or n.startswith(("report", "atlas/sites"))):
            for v in judged(claims_in(made.printed[name], edited, SPECS), edited):
                c = v.claim
                touched = c.file == file and c.version == "2.0" and c.first <= at <= c.last
                if touched and (c.digest or c.quoted):
                    assert v.status in ("stale", "moved"), (name, at, c)


def test_every_line_that_a_document_names_has_its_digest(made: Forms) -> None:
    for name in (n for n in made.claims if n.endswith(".json")):
        assert [c for c in made.claims[name] if not c.digest and not c.quoted] == [], name
