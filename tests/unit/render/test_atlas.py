"""The atlas as files: what is made again, what is left alone, and that no source becomes a page's own code."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.browser.depot import FILES, HOSTILE_TEXT, atlas_of, subject, write_rules
from tracer import catalog
from tracer.errors import UsageError
from tracer.render.atlas import Atlas, build, code, frame
from tracer.render.atlas.gather import marks
from tracer.render.atlas.page import Page
from tracer.render.atlas.strings import strings
from tracer.render.report import Subject, make


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path / "cache"))


def contents(folder: Path) -> dict[str, bytes]:
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def small(tmp_path: Path, files: dict[str, str] | None = None) -> Atlas:
    rules = write_rules(tmp_path / "rules")
    return Atlas([subject(rules, files=files)], rules=[rules])


# -- what a build writes ---------------------------------------------------------------------
def test_a_second_build_makes_and_writes_nothing(tmp_path: Path) -> None:
    first = build(atlas_of(tmp_path / "rules"), tmp_path / "site")
    before = contents(tmp_path / "site")
    again = build(atlas_of(tmp_path / "rules"), tmp_path / "site")
    assert first.made > 40
    assert (again.made, again.written, again.removed) == (0, 0, 0)
    assert contents(tmp_path / "site") == before


def test_two_folders_get_the_same_bytes(tmp_path: Path) -> None:
    build(small(tmp_path), tmp_path / "one")
    build(small(tmp_path), tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_only_pages_whose_source_changed_are_written_and_what_is_gone_is_removed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(small(tmp_path), site)
    before = contents(site)
    less = {k: v for k, v in FILES.items() if "img" not in k}
    built = build(small(tmp_path, less), site)
    after = contents(site)
    gone = before.keys() - after.keys()
    assert [g for g in gone if "img-src" in g] == list(gone)
    assert built.removed == 1
    index = next(k for k in after if "depot-index.py" in k)
    assert after["roles/failure.html"] != b""
    assert before[index].count(b"Index.commit") == after[index].count(b"Index.commit")


def test_a_page_that_was_tampered_with_is_made_again(tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(small(tmp_path), site)
    before = (site / "faults.html").read_bytes()
    (site / "faults.html").write_text("not ours")
    assert build(small(tmp_path), site).made == 1
    assert (site / "faults.html").read_bytes() == before


def test_a_page_that_became_a_link_is_written_in_its_place(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside.html"
    build(small(tmp_path), site)
    outside.write_text("mine")
    (site / "faults.html").unlink()
    (site / "faults.html").symlink_to(outside)
    build(small(tmp_path), site)
    assert outside.read_text() == "mine"
    assert b"<html" in (site / "faults.html").read_bytes()
    assert not (site / "faults.html").is_symlink()


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="not an atlas"):
        build(small(tmp_path), tmp_path / "mine")
    assert [f.name for f in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def build_until(stop: Callable[[], bool], atlas: Atlas, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build, and interrupt it at the page before which `stop` says so."""
    render = frame.render

    def until(page: Page, common: Mapping[str, Any]) -> str:
        if stop():
            raise KeyboardInterrupt
        return render(page, common)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(frame, "render", until)
        build(atlas, site)


def test_a_build_that_was_interrupted_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, rendered = tmp_path / "site", count(1)
    build_until(lambda: next(rendered) > 5, small(tmp_path), site, monkeypatch)
    built = build(small(tmp_path), site)
    assert built.made == built.files - 5 - len([f for f in contents(site) if f.startswith("assets/")])


def test_what_a_killed_build_left_is_no_part_of_the_next_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that the sources no longer give, a file that is half written, a journal whose last line is cut."""
    calm, site = tmp_path / "calm", tmp_path / "site"
    less = {k: v for k, v in FILES.items() if "img" not in k}
    build(small(tmp_path, less), calm)
    build_until(lambda: any(site.rglob("depot--img-src*.html")), small(tmp_path), site, monkeypatch)
    (site / "roles" / ".page.html.tracer-half").write_text("<html>")
    with (site / ".atlas-journal").open("a") as journal:
        journal.write('\n{"roles/x.html": {"inp')
    build(small(tmp_path, less), site)
    assert contents(site) == contents(calm)


def test_a_first_build_that_was_killed_before_its_manifest_is_no_foreign_folder(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / ".atlas.json.tracer-half").write_text("{")
    build(small(tmp_path), tmp_path / "site")
    build(small(tmp_path), tmp_path / "calm")
    assert contents(tmp_path / "site") == contents(tmp_path / "calm")


@pytest.mark.parametrize("text", ["[]", "{}", '{"format": 1, "files": {"../outside": {"bytes": "x"}}}'])
def test_a_manifest_cannot_point_outside(tmp_path: Path, text: str) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside"
    site.mkdir()
    outside.write_text("mine")
    (site / "atlas.json").write_text(text)
    if "format" in text:
        build(small(tmp_path), site)
    else:
        with pytest.raises(UsageError):
            build(small(tmp_path), site)
    assert outside.read_text() == "mine"


# -- what a page may hold --------------------------------------------------------------------------
def test_data_for_a_script_cannot_end_its_element_or_a_line() -> None:
    text = str(frame.block({"a": f"{HOSTILE_TEXT} <!-- \u2028 & "}))
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": f"{HOSTILE_TEXT} <!-- \u2028 & "}


def test_every_page_of_a_hostile_source_has_its_text_escaped(tmp_path: Path) -> None:
    build(small(tmp_path), tmp_path / "site")
    for path, data in contents(tmp_path / "site").items():
        if path.endswith(".html"):
            assert b"<img" not in data, path
            assert b"</script><" not in data.replace(b"</script>\n", b""), path


def test_what_cannot_be_seen_is_shown() -> None:
    assert code.shown_line("a\u202eb\x1b[0m\tc\u200b") == "a⟨U+202E⟩b␛[0m    c⟨U+200B⟩"
    assert len(code.shown_line("x" * 5000)) < 400


def test_blocks_hold_the_decisive_lines_with_their_surroundings_once() -> None:
    lines = [f"line {n}" for n in range(1, 101)]
    found = code.blocks(lines, [(10, 11), (17, 17), (60, 60)], head=5)
    assert [(b["start"], len(b["lines"])) for b in found] == [(5, 16), (57, 7)]
    assert found[1]["lines"][3] == "line 60"
    long = code.blocks([str(n) for n in range(1, 1001)], [(100, 900)])
    assert [b["start"] for b in long] == [97, 860]
    assert sum(len(b["lines"]) for b in long) < 100


@pytest.mark.parametrize("file", ["a.py", "a.cpp", "a.rs", "a.unknown"])
def test_colours_change_no_character(file: str) -> None:
    lines = ['x = "<b>" # \'&', "", "def f(): return '''", "open", "'''  // y"]
    shown = code.coloured(file, {"start": 1, "lines": lines}, ["before <"])
    assert [html.unescape(re.sub("<[^>]*>", "", str(line))) for line in shown] == lines


# -- stale evidence ---------------------------------------------------------------------------
def test_a_place_that_is_not_as_it_was_found_is_said_to_be_stale(tmp_path: Path) -> None:
    rules = write_rules(tmp_path / "rules")
    found = subject(rules)
    first = next(s for s in found.sites if s.symbol.endswith("Index.commit"))
    sites = tuple(replace(s, digest="0" * 32) if s == first else s for s in found.trace.sites)
    stale = replace(found, trace=replace(found.trace, sites=sites))
    build(Atlas([stale], rules=[rules]), tmp_path / "site")
    shown = {k: html.unescape(re.sub("<[^>]*>", "", v.decode())) for k, v in contents(tmp_path / "site").items()}
    page = next(v for k, v in shown.items() if "depot-index.py" in k).replace("与发现时不同", "")
    assert "no longer as it was found: these lines are no longer in the file" in page
    assert "1 stale" in shown["gaps.html"]
    assert "5 of 6 re-read and unchanged" in shown["index.html"]


# -- words --------------------------------------------------------------------------------------------
def test_every_string_that_is_asked_for_exists_and_every_one_is_asked_for() -> None:
    root = catalog.shipped("reports") / "atlas"
    sources = [*(root / "templates").glob("*.j2"), *(Path(frame.__file__).parent).rglob("*.py")]
    text = "\n".join(f.read_text(encoding="utf-8") for f in sources)
    named = set(re.findall(r'(?:t|t_json|said|Nav)\(f?"(\w+\.\w+)"(?! ~)', text))
    named |= set(re.findall(r'attr\("[\w-]+", "(\w+\.\w+)"', text))
    assert named - strings().keys() == set()
    starts = set(re.findall(r't\("(\w+\.\w*)" ~', text))
    starts |= {m.split("{")[0] for m in re.findall(r'said\(f"([\w.{]+)', text)}
    starts |= {f"{group}." for group in re.findall(r'told\("(\w+)"', text)}
    starts |= {"verdict.", "nav.", "search.", "budget."}  # put together from parts, or by a macro with a name
    unused = {k for k in strings() if k not in named and not any(k.startswith(s) for s in starts)}
    assert unused == set()


# -- recordings ------------------------------------------------------------------------------------------
def test_the_strongest_mark_of_several_recordings_counts() -> None:
    def document(verdict: str, version: str = "2.0") -> dict[str, object]:
        site = {"engine": "depot", "file": "a.py", "first": 7, "last": 9, "rule": "depot.x", "verdict": verdict}
        return {"engines": [{"name": "depot", "version": version}], "sites": [site]}

    key = ("depot", "2.0", "a.py", 7)
    assert marks([document("not seen"), document("seen"), document("not seen")]) == {key: "confirmed"}
    assert marks([document("contradicted"), document("seen")]) == {key: "contradicted"}
    assert key not in marks([document("seen", "1.0")])
    with pytest.raises(UsageError, match="no confirmation"):
        marks([{"engines": []}])


# -- one file --------------------------------------------------------------------------------------------
def test_a_report_in_html_is_one_file_that_allows_only_its_own_script(tmp_path: Path) -> None:
    found = subject(write_rules(tmp_path / "rules"))
    made = make("publish", [Subject(found.trace, found.tree)], form="html", language="zh")
    assert sorted(made.files) == ["publish-depot-2.0.json", "publish.html"]
    text = made.files["publish.html"]
    assert '<html lang="zh-Hans" data-lang="zh">' in text
    assert "<img" not in text
    assert not re.search(r'(?:src|href)="(?!#|https://example\.org/)', text)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1])  # type: ignore[index]
    blocks = re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", text, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        assert base64.b64encode(hashlib.sha256(block.encode()).digest()).decode() in policy
    assert "depot.publish.index" in text
    assert "self._blocks[key] = block" in html.unescape(re.sub("<[^>]*>", "", text))
