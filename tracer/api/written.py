"""What is written about an engine, from its checked claims: answers, claims, the failure matrix, as results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tracer.api.result import Answered, Handling, Result
from tracer.claims.model import Checked
from tracer.model import Gap
from tracer.questions import Content, Sentence, Verdicts, bank, behind, behind_faults, check, named
from tracer.rules import Text
from tracer.survey import Progress

T = TypeVar("T")


class Written:
    """Asks what is written about `ENGINE[@VERSION]`."""

    def __init__(self, spec: str, rules: Sequence[Path], progress: Progress | None) -> None:
        self._spec, self._rules, self._progress = spec, rules, progress

    def answers(self, questions: Sequence[str], lang: str) -> Result[Answered]:
        """An answer for each question that one is written for; the others are gaps."""
        from tracer.render import answers as render

        found = self._check(lambda said: behind(said, questions))
        document = render.answers([found], questions, ())
        items = [_answered(found, q) for q in questions if found.answer(q)]
        return _result(items, found, document, lambda: render.page(document, "answer", "md", lang).splitlines())

    def claims(self, only: Sequence[str]) -> Result[Checked]:
        """The claims of these ids, or whose id begins so; all without."""
        from tracer.render import answers as render
        from tracer.render.text import plain

        found = self._check(lambda said: named(said, only))
        document = render.claims([found], ())
        return _result(found.checked.values(), found, document, lambda: map(plain, render.claims_text(document)))

    def faults(self, lang: str) -> Result[Handling]:
        """The engine's column of the failure matrix."""
        from tracer.render import answers as render

        found = self._check(behind_faults)
        document = render.faults([found], ())
        items = [_handling(found, fault, title) for fault, title in bank().faults.items()]
        return _result(items, found, document, lambda: render.page(document, "faults", "md", lang).splitlines())

    def _check(self, wanted: Callable[[Content], Iterable[str]]) -> Verdicts:
        return check(self._spec, wanted, rules=self._rules, progress=self._progress)


def _result(
    items: Iterable[T], found: Verdicts, document: dict[str, Any], markdown: Callable[[], Iterable[str]]
) -> Result[T]:
    gaps = [Gap(g["what"], g["why"]) for g in document["gaps"]]
    return Result(items, [found.engine], gaps, lambda: document, markdown)


def _answered(found: Verdicts, question: str) -> Answered:
    answer = found.answer(question)
    assert answer is not None
    held = [s.text for s in answer.says if found.status(s) == "holds"]
    text = Text(" ".join(t.en for t in held), "".join(t.zh for t in held))
    sentences = (answer.says, answer.unless, answer.has_not)
    claims = _behind(found, (s for some in sentences for s in some))
    return Answered(question, bank().questions[question], found.engine, text, *sentences, claims)


def _handling(found: Verdicts, fault: str, title: Text) -> Handling:
    cell = found.cell(fault)
    parts = cell.parts if cell else ()
    return Handling(
        fault, title, found.engine, cell.kind if cell else "", parts, _behind(found, (s for _, s in parts))
    )


def _behind(found: Verdicts, sentences: Iterable[Sentence]) -> tuple[Checked, ...]:
    return tuple(found.checked[c] for c in dict.fromkeys(c for s in sentences for c in s.claims))
