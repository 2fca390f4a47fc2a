"""A whole tour over invented code: notes, generated text, what is carried over, claims that must hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as Folder

import pytest

from tests.unit.trees import MemoryTree
from tracer.claims.model import Checked, Evidence
from tracer.model import EngineRevision, Path, Site, Step
from tracer.pairs.balance import Holder, Leaving
from tracer.questions import Cell, Content, Sentence, Verdicts
from tracer.render import walks as render
from tracer.render.text import plain
from tracer.rules import Text
from tracer.targets import target
from tracer.walks.tour import Source, tour, wanted

CODE = """\
def step(self):
    if self.dead:
        raise RuntimeError("\x1b[31m <img onerror=x>")
    pass_on(self)

def pass_on(self):
    keep(self)

def keep(self):
    self.index[self.key] = self
"""
STEPS = (
    Step("m.step", "m.py", 1, engine="vllm"),
    Step("m.pass_on", "m.py", 6, "call", "m.py", 4, engine="vllm"),
    Step("m.keep", "m.py", 9, "thread", "m.py", 7, engine="vllm"),
)
WAY = Path("path", "step → keep", STEPS, "complete")
SITES = (
    Site("vllm.lookup.x", "lookup", "query", "gpu", "m.step", "m.py", 1, 2, 2, "", "exact"),
    Site("vllm.protection.x", "protection", "acquire", "gpu", "m.step", "m.py", 1, 4, 4, "", "exact"),
    Site("vllm.publish.x", "publish", "commit", "gpu", "m.keep", "m.py", 9, 10, 10, "", "exact"),
    Site("vllm.publish.x", "publish", "commit", "gpu", "m.keep", "m.py", 9, 10, 10, "", "exact", context="test"),
)
NOTES = """\
- id: toy.proved
  at: {site: {role: publish, layer: gpu}, engine: vllm}
  claims: [vllm.index-is-a-hash-map]
  owner: {en: The index has it., zh: 归索引。}
"""


def _source(verdict: str = "") -> Source:
    tree = MemoryTree({"m.py": CODE}, "vllm", "0.33.0")
    engine = EngineRevision("vllm", "0.33.0", tree.revision)
    holder = Holder("vllm.pairs.x", "m.step", "m.py", 1, "acquire", (), (Leaving(3, "raise", "missing", 2),))
    verdicts = None
    if verdict:
        found = Evidence("", "m.keep", "m.py", 10, 10, "", "exact")
        checked = Checked("vllm.index-is-a-hash-map", Text("It is a map.", "是映射。"), verdict, (found,))  # type: ignore[arg-type]
        row = Cell("not_handled", (("not_handled", Sentence(Text("No.", "无。"), (checked.id,))),))
        cells = {"writer-dies": (row,)}
        verdicts = Verdicts(engine, Content((), {}, cells), {checked.id: checked})
    return Source(engine, target("vllm"), tree, SITES, [holder], verdicts)


@pytest.fixture
def own(tmp_path: Folder) -> Folder:
    (tmp_path / "walks").mkdir()
    (tmp_path / "walks" / "toy.yaml").write_text(NOTES, encoding="utf-8")
    return tmp_path


def test_a_step_without_a_note_says_what_its_sites_and_exits_say() -> None:
    found = tour(WAY, {"vllm": _source()})
    passed = found.stops[1]
    assert passed.parts["happens"].basis == "sites"
    assert passed.parts["happens"].text.en == (
        "Passes the work on; no rule finds a site in this function; then hands over to a thread: `keep`."
    )
    assert "交给线程" in passed.parts["happens"].text.zh
    assert passed.parts["wrong"].text.en.startswith("No exit of this function reports")
    assert passed.crossing.en == "" and found.stops[2].crossing.en.startswith("Another thread")


def test_owner_and_protection_are_carried_over_and_say_since_when() -> None:
    first, passed, kept = tour(WAY, {"vllm": _source()}).stops
    assert first.parts["protects"].basis == "note"
    assert (passed.parts["protects"].basis, passed.parts["protects"].since) == ("since", 1)
    assert passed.parts["protects"].text == first.parts["protects"].text
    assert first.parts["owner"].text.en.startswith("No earlier step")
    assert kept.parts["owner"].basis == "note"


def test_sites_in_tests_do_not_count_and_exits_have_their_pairs() -> None:
    first, _, kept = tour(WAY, {"vllm": _source()}).stops
    assert [(s.role, s.first) for s in kept.sites] == [("publish", 10)]
    assert [(w.line, w.verdict) for w in first.code.ways_out] == [(3, "missing")]
    assert first.held[0].missing == (3,) and kept.held == ()


def test_a_note_is_shown_only_where_its_claims_hold(own: Folder) -> None:
    assert tour(WAY, {"vllm": _source("holds")}, [own]).stops[2].parts["owner"].note == "toy.proved"
    for verdict in ("fails", "unknown", "not_applicable"):
        assert tour(WAY, {"vllm": _source(verdict)}, [own]).stops[2].parts["owner"].note == "role.publish-commit"


def test_claims_on_a_steps_lines_and_rows_of_the_failure_matrix(own: Folder) -> None:
    kept = tour(WAY, {"vllm": _source("holds")}, [own]).stops[2]
    assert [(p.id, p.verdict, p.lines) for p in kept.proofs] == [("vllm.index-is-a-hash-map", "holds", (10,))]
    (row,) = [f for f in kept.faults if f.id == "writer-dies"]
    assert (row.kind, row.parts) == ("not_handled", (("not_handled", Text("No.", "无。"), "holds"),))
    unread = tour(WAY, {"vllm": _source()}).stops[2]
    assert [f.kind for f in unread.faults if f.id == "writer-dies"] == [""]


def test_what_is_to_be_checked_is_what_the_notes_rest_on(own: Folder) -> None:
    cell = Cell("not_handled", (("not_handled", Sentence(Text("No.", "无。"), ("vllm.a", "vllm.b"))),))
    said = Content((), {}, {"writer-dies": (cell,), "recompute-storm": (replace(cell, parts=()),)})
    assert wanted(WAY, {"vllm": SITES}, "vllm", said, [own]) == {"vllm.index-is-a-hash-map", "vllm.a", "vllm.b"}
    assert wanted(WAY, {"mooncake": ()}, "mooncake", said, [own]) == set()


def test_the_five_minutes_are_spent_and_questions_have_their_words() -> None:
    found = tour(WAY, {"vllm": _source()})
    assert sum(s.seconds for s in found.stops) == 300
    assert "Q8" in found.questions and found.questions["Q8"].zh
    assert {b for s in found.stops for b in s.beats} == {b.id for b in found.beats}


def test_an_engine_without_source_and_a_path_without_steps() -> None:
    found = tour(WAY, {})
    assert [s.code.pieces for s in found.stops] == [(), (), ()]
    assert tour(Path("path", "a → b", (), "stops: nothing here is its start (a)"), {}).stops == ()


# -- as text and document ----------------------------------------------------------------------
def _text(lang: str = "en", **how: bool) -> str:
    found = tour(WAY, {"vllm": _source("holds")})
    lines = [*render.opening(found, lang), *(x for s in found.stops for x in render.stop(found, s, lang, **how))]
    return "\n".join(plain(line) for line in [*lines, *render.closing(found, lang)])


def test_the_text_has_each_step_with_code_parts_and_crossing() -> None:
    text = _text()
    assert "── step 3 of 3 m.keep  vllm · m.py:9" in text and "══ thread [exact] m.py:7" in text
    assert "> 10 │     self.index[self.key] = self" in text and "→ 7 │     keep(self)" in text
    assert text.count("Who owns the memory now: ") == 3 and "[as at step 1]" in text
    assert "no release found 3" in text and "! 3 raise · failure" in text
    assert text.endswith("end: complete  (3 steps, 1 crossings)")


def test_the_text_in_chinese_and_no_terminal_escape_of_the_source() -> None:
    text = _text("zh")
    assert "── 第 3/3 步" in text and text.count("内存现在归谁: ") == 3 and "同第 1 步" in text
    assert "\x1b" not in text and "␛[31m" in text


def test_the_quiz_hides_what_is_said_and_asks() -> None:
    text = _text(hide=True)
    assert "Who owns the memory now" not in text and "Answers" not in text and text.count("Quiz: ") == 3
    assert "What must have ended before this statement may run?" in text


def test_a_speaker_sees_when_and_what() -> None:
    text = _text(speaker=True)
    assert "Say (0:00 + " in text and "What a cache saves: " in text


def test_the_document_has_all_that_a_page_shows() -> None:
    document = render.document(tour(WAY, {"vllm": _source("holds")}))
    assert document["schema"] == "tracer.walk/1" and [s["number"] for s in document["stops"]] == [1, 2, 3]
    stop = document["stops"][0]
    assert stop["code"]["ways_out"][0]["verdict"] == "missing" and set(stop["parts"]) == {
        "happens", "owner", "protects", "wrong",
    }  # fmt: skip
    assert all(part["en"] and part["zh"] for s in document["stops"] for part in s["parts"].values())
    assert "\x1b" not in str(document)
