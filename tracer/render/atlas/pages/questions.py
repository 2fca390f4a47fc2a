"""Answers: one page a question, with every engine's sentences and the claims that bear them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tracer.questions import bank
from tracer.render.atlas import places
from tracer.render.atlas.gather import Atlas, Subject
from tracer.render.atlas.page import Entry, Nav, Page
from tracer.render.atlas.strings import said


def pages(atlas: Atlas) -> Iterator[Page]:
    """The list, and one page a question."""
    by: dict[str, list[Mapping[str, Any]]] = {}
    for answer in atlas.answers["answers"]:
        by.setdefault(answer["question"], []).append(answer)
    asked = [(k, {"en": text.en, "zh": text.zh}) for k, text in bank().questions.items()]
    rows = [
        {
            "id": name,
            "title": title,
            "path": places.question(name),
            "engines": [_status(atlas, a) for a in by.get(name, ())],
        }
        for name, title in asked
    ]
    yield Page(places.QUESTIONS, "questions.html.j2", said("nav.questions"), {"rows": rows})
    for number, (name, title) in enumerate(asked):
        context = {
            "id": name,
            "question": title,
            "answers": [shown(atlas, a) for a in by.get(name, ())],
            "silent": [s.name for s in atlas.subjects if not _answered(by.get(name, ()), s)],
            "before": rows[number - 1] if number else None,
            "after": rows[number + 1] if number + 1 < len(rows) else None,
        }
        trail = [(said("nav.questions"), places.QUESTIONS)]
        yield Page(places.question(name), "question.html.j2", {k: f"{name} · {v}" for k, v in title.items()}, context,
                   trail=trail)


def nav(_: Atlas) -> Iterable[Nav]:
    """The list of questions."""
    return (Nav("nav.questions", places.QUESTIONS),)


def entries(_: Atlas) -> Iterator[Entry]:
    """Every question."""
    for name, text in bank().questions.items():
        both = {"en": f"{name} · {text.en}", "zh": f"{name} · {text.zh}"}
        yield Entry("question", both, places.question(name), weight=2)


def shown(atlas: Atlas, item: Mapping[str, Any]) -> dict[str, Any]:
    """An answer or a cell of the matrix, its evidence with the address of the page that shows it."""
    subject = subject_named(atlas, item)
    return {**item, "name": subject.name, "claims": [_claim(subject, c) for c in item["claims"]]}


def subject_named(atlas: Atlas, item: Mapping[str, Any]) -> Subject:
    """The subject that a part of a document is about."""
    return next(
        s for s in atlas.subjects if (s.target.name, s.tree.version) == (item["engine"], item["version"])
    )


def _claim(subject: Subject, claim: Mapping[str, Any]) -> dict[str, Any]:
    evidence = [
        {
            "file": e["file"],
            "first": e["first"],
            "last": e["last"],
            "symbol": e["symbol"],
            "link": e["permalink"],
            "path": places.shown_at(subject, e["file"], e["first"], e["last"]),
        }
        for e in claim["evidence"]
    ]
    text = {"en": claim["claim"], "zh": claim["claim_zh"]}
    return {**claim, "text": text, "evidence": evidence, "searches": claim.get("searches", []),
            "why": claim.get("why", "")}


def _answered(answers: Iterable[Mapping[str, Any]], subject: Subject) -> bool:
    return any((a["engine"], a["version"]) == (subject.target.name, subject.tree.version) for a in answers)


def _status(atlas: Atlas, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Of one engine's answer: how many sentences hold, and whether all do."""
    sentences = [s for key in ("says", "unless", "has_not") for s in answer[key]]
    held = sum(1 for s in sentences if s["verdict"] in ("holds", "not_applicable"))
    return {"name": subject_named(atlas, answer).name, "held": held, "all": len(sentences)}
