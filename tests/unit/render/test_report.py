from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.render.traces import GAP, HOLD, INDEX, PUT, TREE, trace
from tests.unit.trees import MemoryTree
from tracer.errors import TracerError
from tracer.model import ROLES, Gap
from tracer.render.report import QUESTIONS, Subject, make, write


def report(*sites, gaps=(), missing=()):
    return make("publish", [Subject(trace(*sites, gaps=gaps), TREE)], missing)


def test_an_engine_gets_a_page_and_a_document_and_the_index_links_the_page() -> None:
    files = report(PUT).files
    assert set(files) == {"index.md", "publish-toy-1.0.md", "publish-toy-1.0.json"}
    assert "](publish-toy-1.0.md)" in files["index.md"]
    assert json.loads(files["publish-toy-1.0.json"])["schema"] == "tracer.report/1"


def test_page_and_index_answer_with_a_table_of_layers_and_actions() -> None:
    for page in ("index.md", "publish-toy-1.0.md"):
        text = report(PUT, replace(PUT, action="reserve", layer="gpu")).files[page]
        assert "| layer | reserve | commit |" in text
        assert "| **gpu** | `Index.put:3` | – |" in text
        assert "| **host** | – | `Index.put:3` |" in text


def test_the_index_cuts_long_cells_and_the_page_has_them_whole() -> None:
    many = [replace(PUT, first=n, last=n) for n in range(1, 12)]
    files = report(*many).files
    assert "[and 3 more](publish-toy-1.0.md)" in files["index.md"]
    assert "`Index.put:11`" not in files["index.md"]
    assert "`Index.put:11`" in files["publish-toy-1.0.md"]


def test_a_commit_is_shortened_in_names_but_not_in_the_document() -> None:
    commit = "0123456789abcdef" * 2 + "01234567"
    tree = MemoryTree({"toy/index.py": INDEX}, version=commit)
    files = make("publish", [Subject(trace(PUT, tree=tree), tree)]).files
    assert "publish-toy-0123456789ab.md" in files
    assert json.loads(files["publish-toy-0123456789ab.json"])["engines"][0]["version"] == commit


def test_a_site_is_shown_with_its_lines_guards_reason_link_and_way_up() -> None:
    text = report(HOLD, PUT).files["publish-toy-1.0.md"]
    assert ">  4 |" not in text
    assert "> 4 |             b.pins += 1" in text
    assert "  3 |         if b.live:" in text
    assert "Under `if b.live` and `not (a | b)`." in text
    assert "a block is held" in text
    assert "[`toy/pool.py:4`](https://host/o/r/blob/v1.0/toy/pool.py#L4)" in text
    assert "Reached through `toy.index.Index.set`." in text


def test_what_an_engine_says_cannot_leave_its_fence_or_cell() -> None:
    text = report(HOLD).files["publish-toy-1.0.md"]
    fence = next(line for line in text.splitlines() if line.startswith("```"))
    assert fence == "```text"
    bad = replace(HOLD, symbol="a|b.<script>", permalink="")
    row = next(line for line in report(bad).files["index.md"].splitlines() if line.startswith("| **gpu**"))
    assert "\\|" in row


def test_everything_printed_is_read_again_and_counted() -> None:
    made = report(HOLD, PUT)
    assert [v.status for v in made.verdicts] == ["ok", "ok"]
    assert "2 pieces of evidence: 2 ok" in made.files["publish-toy-1.0.md"].splitlines()[-1]
    assert json.loads(made.files["publish-toy-1.0.json"])["verified"]["ok"] == 2
    stale = report(replace(HOLD, digest="0" * 32))
    assert stale.verdicts[0].status == "stale"
    assert "1 stale" in stale.files["index.md"]


def test_gaps_and_missing_engines_are_named_not_hidden() -> None:
    made = report(PUT, gaps=(GAP,), missing=(Gap("away", "no network — use --from"),))
    assert "found commit 0" in made.files["publish-toy-1.0.md"]
    assert "`toy.publish.other`" in made.files["index.md"]
    assert "- **away**: no network — use --from" in made.files["index.md"]


def test_an_engine_without_sites_still_gets_a_page_that_says_so() -> None:
    assert "No site of this role was found" in report(gaps=(GAP,)).files["publish-toy-1.0.md"]


def test_the_same_input_gives_the_same_bytes_on_disk(tmp_path: Path) -> None:
    for name, sites in (("one", (HOLD, PUT)), ("two", (PUT, HOLD))):
        write(report(*sites), tmp_path / name)
    one, two = ({f.name: f.read_bytes() for f in (tmp_path / n).iterdir()} for n in ("one", "two"))
    assert one == two
    assert len(one) == 3


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(TracerError, match="cannot be written"):
        write(report(PUT), tmp_path / "file" / "out")


def test_every_role_has_its_question() -> None:
    assert set(QUESTIONS) == {*ROLES, "all"}
