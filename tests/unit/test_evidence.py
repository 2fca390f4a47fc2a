from __future__ import annotations

from typing import Any

import pytest

from tests.unit.trees import MemoryTree
from tracer import evidence
from tracer.cited import Claim
from tracer.errors import SourceUnavailableError, UsageError
from tracer.model import Revision, SourceTree, digest_of
from tracer.targets import Target

POOL = """\
class Pool:
    def hold(self, block):
        block.pins += 1
        return block

    def drop(self, block):
        block.pins -= 1
        self.seen += 1


class Other:
    def hold(self, block):
        block.pins += 1
"""


def site(**changes: Any) -> dict[str, Any]:
    found = {
        "rule": "toy.protection.pins",
        "symbol": "toy.pool.Pool.hold",
        "file": "toy/pool.py",
        "def_line": 2,
        "first": 3,
        "last": 3,
        "digest": digest_of("        block.pins += 1"),
    }
    return found | changes


def document(*sites: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"schema": "tracer.where/1", "engines": [{"name": "toy", "version": "1.0"}], "sites": list(sites), **more}


def judged(text: str | bytes, *sites: dict[str, Any], file: str = "toy/pool.py", **more: Any) -> list[evidence.Verdict]:
    tree = MemoryTree({file: text})
    return evidence.verify(document(*sites, **more), lambda _engine, _version: tree)


def test_lines_that_read_as_recorded_are_ok() -> None:
    assert [v.status for v in judged(POOL, site())] == ["ok"]


def test_lines_that_slid_inside_their_function_are_found_again() -> None:
    (verdict,) = judged("import os\n\n" + POOL, site())
    assert (verdict.status, verdict.now) == ("moved", (5, 5))


def test_the_same_line_in_another_function_is_no_substitute() -> None:
    without = POOL.replace("        block.pins += 1\n        return block", "        return block", 1)
    (verdict,) = judged(without, site())
    assert verdict.status == "stale"
    assert "not in toy.pool.Pool.hold" in verdict.why


def test_changed_lines_are_stale() -> None:
    (verdict,) = judged(POOL.replace("pins += 1", "pins += 2"), site())
    assert (verdict.status, verdict.now) == ("stale", (0, 0))


def test_a_statement_of_several_lines_is_judged_as_a_whole() -> None:
    both = digest_of("        block.pins -= 1\n        self.seen += 1")
    claim = site(symbol="toy.pool.Pool.drop", def_line=6, first=7, last=8, digest=both)
    assert judged(POOL, claim)[0].status == "ok"
    assert judged(POOL.replace("self.seen += 1", "pass"), claim)[0].status == "stale"


def test_the_nearest_of_several_equal_places_is_taken() -> None:
    twice = POOL.replace("        return block", "        block.pins += 1\n        return block")
    (verdict,) = judged("\n" + twice, site(def_line=3, first=4, last=4, digest=digest_of("        block.pins += 1")))
    assert verdict.status == "ok"
    (verdict,) = judged("\n\n" + twice, site())
    assert verdict.now == (5, 5)


def test_line_ends_and_foreign_bytes_do_not_matter() -> None:
    windows = POOL.replace("\n", "\r\n").encode()
    assert judged(windows, site())[0].status == "ok"
    assert judged(b"# coding: latin-1\n# caf\xe9\n" + windows, site())[0].now == (5, 5)


def test_in_a_file_that_does_not_parse_a_unique_line_is_found_again() -> None:
    broken = "def (:\n" + POOL
    assert judged(broken, site())[0].status == "stale"  # it is there twice, and nobody can say which one is meant
    once = site(first=7, last=7, digest=digest_of("        block.pins -= 1"))
    assert judged(broken, once)[0].now == (8, 8)


def test_lines_beyond_the_end_are_stale_and_no_error() -> None:
    assert judged("x = 1\n", site(first=40, last=60))[0].status == "stale"


def test_a_file_that_is_gone_is_stale() -> None:
    (verdict,) = judged(POOL, site(), file="toy/elsewhere.py")
    assert verdict.status == "stale"
    assert "not a file" in verdict.why


def test_evidence_whose_source_cannot_be_had_is_unread_not_stale() -> None:
    def closed(_engine: str, _version: str) -> SourceTree:
        raise SourceUnavailableError("no network")

    verdicts = evidence.verify(document(site(), site()), closed)
    assert [v.status for v in verdicts] == ["unread", "unread"]
    assert evidence.counts(verdicts) == {"ok": 0, "moved": 0, "stale": 0, "unread": 2}


def test_uses_are_judged_by_their_one_line() -> None:
    use = {
        "symbol": "toy.pool.Pool.drop",
        "file": "toy/pool.py",
        "line": 7,
        "text_digest": digest_of("        block.pins -= 1"),
    }
    assert judged(POOL, use)[0].status == "ok"
    assert judged("#\n" + POOL, use)[0].now == (8, 8)


def test_a_step_without_digest_is_judged_by_its_definition() -> None:
    step = {"symbol": "toy.pool.Pool.drop", "file": "toy/pool.py", "def_line": 6}
    path = [{"name": "p", "steps": [step]}]
    assert judged(POOL, paths=path)[0].status == "ok"
    assert judged("#\n" + POOL, paths=path)[0].now == (7, 7)
    assert judged(POOL.replace("def drop", "def release"), paths=path)[0].status == "stale"


def test_cpp_symbols_are_found_again() -> None:
    before = "namespace toy {\nvoid Pool::hold(int n) {\n  pins_ += n;\n}\n}\n"
    claim = site(symbol="toy::Pool::hold", file="pool.cpp", first=3, last=3, digest=digest_of("  pins_ += n;"))
    (verdict,) = judged("// one\n// two\n" + before, claim, file="pool.cpp")
    assert (verdict.status, verdict.now) == ("moved", (5, 5))


def test_each_piece_is_read_in_the_engine_it_names() -> None:
    trees = {"one": MemoryTree({"a.py": "x = 1\n"}, "one"), "two": MemoryTree({"a.py": "x = 2\n"}, "two")}
    engines = [{"name": "one", "version": "1"}, {"name": "two", "version": "2"}]
    claim = {"symbol": "a", "file": "a.py", "first": 1, "last": 1, "digest": digest_of("x = 2")}
    sites = [
        claim | {"engine": "two", "version": "2"},
        claim | {"rule": "two.publish.x"},
        claim | {"rule": "one.publish.x"},
    ]
    verdicts = evidence.verify({"engines": engines, "sites": sites}, lambda engine, _version: trees[engine])
    assert [v.status for v in verdicts] == ["ok", "ok", "stale"]


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"engines": []},
        {"engines": "vllm"},
        {"engines": [{}]},
        {"engines": [{"name": "toy"}], "sites": {}},
        {"engines": [{"name": "toy"}], "sites": ["x"]},
        {"engines": [{"name": "toy"}], "sites": [{"file": 3}]},
        {"engines": [{"name": "toy"}], "sites": [{"file": "a", "first": "1"}]},
        {"engines": [{"name": "toy"}], "sites": [{"file": "a", "first": -1}]},
        {"engines": [{"name": "toy"}], "paths": [3]},
    ],
)
def test_a_document_of_another_shape_is_a_usage_error(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        evidence.verify(bad, lambda _engine, _version: MemoryTree({"a": ""}))


def test_an_excerpt_stays_inside_the_file_and_marks_nothing_else() -> None:
    tree = MemoryTree({"a.py": "one\ntwo\nthree\nfour\n"})
    shown = evidence.excerpt(tree, "a.py", 2, 3, context=9)
    assert (shown.start, shown.lines, shown.first, shown.last) == (1, ("one", "two", "three", "four"), 2, 3)
    assert evidence.excerpt(tree, "a.py", 3, 3, context=0).lines == ("three",)
    with pytest.raises(SourceUnavailableError):
        evidence.excerpt(tree, "a.py", 4, 5)


@pytest.mark.parametrize(
    ("revision", "address"),
    [
        (Revision("git", "d", commit="ab12"), "https://host/o/r/blob/ab12/a%20b.py#L3-L5"),
        (Revision("archive", "d", tag="v1+x"), "https://host/o/r/blob/v1%2Bx/a%20b.py#L3-L5"),
        (Revision("folder", "d"), ""),
    ],
)
def test_a_permalink_points_at_the_commit_else_the_tag_else_nowhere(revision: Revision, address: str) -> None:
    target = Target(name="toy", title="Toy", url="https://host/o/r.git", roots=("toy",))
    assert evidence.permalink(target, revision, "a b.py", 3, 5) == address


_LINES = ["self.begin()", *["self.end()"] * 4, "self.count = 0"]
TWINS = "class Pool:\n    def clear(self):\n" + "".join(f"        {line}\n" for line in _LINES)


def test_lines_that_a_function_has_several_times_slid_as_what_is_beside_them() -> None:
    def at(line: int, text: str) -> dict[str, Any]:
        return site(symbol="Pool.clear", def_line=0, first=line, last=line, digest=digest_of(f"        {text}"))

    sites = [at(5, "self.end()"), at(6, "self.end()"), at(3, "self.begin()"), at(8, "self.count = 0")]
    for count in (5, 9):
        found = judged("import os\n" * count + TWINS, *sites)
        assert [(v.status, v.now[0] - v.claim.first) for v in found] == [("moved", count)] * 4
    assert judged("import os\n" * 5 + TWINS, sites[1])[0].now == (9, 9)  # alone, the nearest must do


def test_where_no_function_tells_them_apart_equal_lines_are_found_only_as_far_away_as_what_is_beside_them() -> None:
    def at(line: int, text: str, symbol: str = "") -> dict[str, Any]:
        return site(symbol=symbol, def_line=0, first=line, last=line, digest=digest_of(f"        {text}"))

    twin, beside = at(5, "self.end()"), at(3, "self.begin()")
    slid = "import os\n" * 5 + TWINS
    assert [v.status for v in judged(slid, twin)] == ["stale"]
    assert [v.now[0] for v in judged(slid, twin, beside)] == [10, 8]
    broken = slid.replace("class Pool:", "class Pool(:")
    both = at(5, "self.end()", "Pool.clear"), at(3, "self.begin()", "Pool.clear")
    assert [v.status for v in judged(broken, both[0])] == ["stale"]
    assert [v.now[0] for v in judged(broken, *both)] == [10, 8]
    gone = slid.replace("        self.end()\n", "", 3)
    assert [v.status for v in judged(gone, twin, beside)] == ["moved", "moved"]  # one is left: it is unique
    two = slid.replace("        self.end()\n", "", 2)
    assert [v.status for v in judged(two, at(7, "self.end()"), beside)] == ["stale", "moved"]


def test_blanks_at_the_end_of_a_printed_line_are_seen_where_its_source_can_still_be_had() -> None:
    was = evidence.Files(lambda _engine, _version: MemoryTree({"toy/pool.py": POOL}))
    blanks = POOL.replace("block.pins -= 1", "block.pins -= 1  ")
    now = evidence.Files(lambda _engine, _version: MemoryTree({"toy/pool.py": blanks}))
    lines = ("    def drop(self, block):", "        block.pins -= 1")
    claim = Claim("toy", "1.0", "", "toy/pool.py", 6, 7, "", quoted=lines)
    assert [v.status for v in evidence.judged([claim], was, now)] == ["stale"]
    wrong = Claim("toy", "1.0", "", "toy/pool.py", 6, 7, "", quoted=("    def drop(self):", lines[1]))
    assert [v.status for v in evidence.judged([wrong], was, was)] == ["stale"]
