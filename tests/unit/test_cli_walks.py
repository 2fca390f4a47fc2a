"""`walk` from its arguments to its exit status, in a pipe and by keys, over two invented engines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.test_cli_paths import LMCACHE, VLLM, Run, own, run  # noqa: F401  (fixtures)
from tracer.cli.walks import Screens
from tracer.model import Path as Way
from tracer.model import Step
from tracer.walks.tour import tour

NOTE = """\
- id: toy.kept
  at: {waypoint: {state: Near.map}}
  happens: {en: It is kept far away., zh: 存到了远处。}
  ask: {en: Where is it now?, zh: 现在在哪里？}
"""


def test_all_steps_in_order_in_both_languages_with_a_users_note(run: Run, own: Path) -> None:  # noqa: F811
    (own / "walks").mkdir()
    (own / "walks" / "toy.yaml").write_text(NOTE, encoding="utf-8")
    question = ("walk", "toy", VLLM, "--with", LMCACHE, "--rules", own)
    found = run(*question)
    assert found.status == 0, found.err
    assert found.out.index("step 1 of 2 Worker.loop") < found.out.index("step 2 of 2 Near.save")
    assert "What happens here: It is kept far away.\n" in found.out and "\x1b" not in found.out
    zh = run(*question, "--lang", "zh", "--fast")
    assert "存到远处" in zh.out and "这里发生什么: 存到了远处。" in zh.out and "What happens" not in zh.out
    one = run(*question, "--step", 2, "--quiz", "--fast")
    assert "step 1" not in one.out and "Quiz: Where is it now?" in one.out and "It is kept far away" not in one.out
    document = json.loads(run(*question, "--format", "json", "--fast").out)
    assert document["schema"] == "tracer.walk/1" and document["name"] == "toy"
    assert document["stops"][1]["parts"]["happens"]["note"] == "toy.kept"
    assert document["stops"][1]["code"]["first"] == 7


def test_asked_again_nothing_is_gathered(run: Run, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    question = ("walk", "toy", VLLM, "--with", LMCACHE, "--rules", own, "--fast")
    first = run(*question)
    monkeypatch.setattr("tracer.walks.gather.source_of", None)
    assert first.status == 0 and run(*question) == first
    assert run(*question, "--lang", "zh").status == 0
    with pytest.raises(TypeError):  # with pairs and claims it is another question
        run(*question[:-1])


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("walk", "nowhere", VLLM), 2, "vllm has no path 'nowhere'"),
        (("walk", "toy"), 2, "no engine is named"),
        (("walk", "toy", VLLM, "--with", LMCACHE, "--step", "9", "--fast"), 2, "there is no step 9"),
    ],
)
def test_wrong_words_are_one_line(run: Run, own: Path, words: tuple[str, ...], status: int, says: str) -> None:  # noqa: F811
    found = run(*words, "--rules", own)
    assert found.status == status and says in found.err and found.err.count("\n") == 1


def _tour():
    steps = tuple(Step(f"m.f{n}", "m.py", n, "call" if n > 1 else "", engine="vllm") for n in range(1, 13))
    return tour(Way("path", "f1 → f12", steps, "complete"), {})


def _shown(keys: list[str], capsys: pytest.CaptureFixture[str], start: int = 1, quiz: bool = False) -> str:
    pending = iter([*keys, "q"])
    Screens(_tour(), "en", quiz, False, lambda: next(pending), lambda: print("===")).run(start)
    return capsys.readouterr().out


def _steps(text: str) -> list[int]:
    return [int(screen.split("── step ")[1].split(" ")[0]) for screen in text.split("===\n")[1:]]


def test_keys_go_forwards_backwards_and_to_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert _steps(_shown([" ", "n", "right", "left", "b", "b", "b"], capsys)) == [1, 2, 3, 4, 3, 2, 1]
    assert _steps(_shown(["1", "1", "\n", "\n", "\n"], capsys)) == [1, 11, 12]  # the last step is not left
    assert _steps(_shown(["9", "9", "\n"], capsys, start=5)) == [5, 12]


def test_the_last_screen_says_how_the_path_ends_and_help_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    text = _shown(["?"], capsys, start=12)
    assert "end: complete" in text and text.count("space, → or n: next") == 2


def test_a_quiz_answers_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    first, asked = _shown(["a"], capsys, quiz=True).split("===\n")[1:]
    assert "What happens here" not in first and "Quiz: Who owns the memory" in first
    assert "What happens here" in asked
