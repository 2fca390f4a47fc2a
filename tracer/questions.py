"""Q1–Q18 and the failure matrix: sentences in our own words, each resting on claims that are checked on the version.

Takes `rules/questions/`: the bank (what is asked), and one folder per engine (claims, answers, faults). Makes verdicts,
kept in the cache claim by claim, and from them answers: a sentence counts only where all its claims hold.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tracer import answers, catalog
from tracer.checkout import open_tree
from tracer.claims.load import Folder, check_schema, claims_of, read_folder
from tracer.claims.model import Checked, Claim, Verdict, in_range
from tracer.errors import RuleError, UsageError
from tracer.model import EngineRevision, SourceTree, digest_lines, digest_of, lines_of
from tracer.rules import Text, range_of, read_yaml
from tracer.survey import Progress, survey
from tracer.survey.store import Store
from tracer.targets import Target, Version, nearest, parse_spec

if TYPE_CHECKING:
    from tracer.graph.world import World


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the ids of the claims that it rests on."""

    text: Text
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One engine's answer to a question: what it says, when that does not hold, and what the engine does not have."""

    says: tuple[Sentence, ...]
    unless: tuple[Sentence, ...]
    has_not: tuple[Sentence, ...] = ()
    versions: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One fault on one engine: `kind` handled · not_handled · not_applicable, and a sentence for each part of it."""

    kind: str
    parts: tuple[tuple[str, Sentence], ...]
    versions: str = ""


@dataclass(frozen=True, slots=True)
class Bank:
    """What is asked: the questions and the faults, by id, in order."""

    questions: Mapping[str, Text]
    faults: Mapping[str, Text]


@dataclass(frozen=True, slots=True)
class Content:
    """What one engine's folder says."""

    claims: tuple[Claim, ...]
    answers: Mapping[str, tuple[Answer, ...]]
    faults: Mapping[str, tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The claims of one engine, checked on one version."""

    engine: EngineRevision
    content: Content
    checked: Mapping[str, Checked]

    def status(self, sentence: Sentence) -> Verdict:
        """The worst verdict of a sentence's claims; one without claims holds."""
        found: set[Verdict] = {self.checked[c].verdict for c in sentence.claims}
        ranked: tuple[Verdict, ...] = ("fails", "unknown", "holds")
        return next((v for v in ranked if v in found), "not_applicable" if found else "holds")

    def answer(self, question: str) -> Answer | None:
        """The answer that is written for this version."""
        options = self.content.answers.get(question, ())
        return next((a for a in options if in_range(a.versions, self.engine.version)), None)

    def cell(self, fault: str) -> Cell | None:
        """The cell of the failure matrix that is written for this version."""
        options = self.content.faults.get(fault, ())
        return next((c for c in options if in_range(c.versions, self.engine.version)), None)


# -- what is asked, what is written ---------------------------------------------------------
@functools.lru_cache
def bank() -> Bank:
    """The questions and faults that ship."""
    file = catalog.shipped("rules") / "questions" / "questions.yaml"
    data = read_yaml(file, "questions/questions.yaml") or {}
    check_schema(data, "questions/questions.yaml", "bank")
    return Bank(
        {k: Text(**v) for k, v in data["questions"].items()}, {k: Text(**v) for k, v in data["faults"].items()}
    )


@functools.lru_cache
def content(engine: str, extra: tuple[Path, ...] = ()) -> Content:
    """What the folder of an engine says; `RuleError` where it names a claim, question or fault that does not exist."""
    folder = read_folder(engine, extra)
    claims = claims_of(folder)
    known = {c.id for c in claims}
    found_answers = _by_id(folder, "answers", bank().questions, lambda item, at: _answer(item, known, at))
    found_faults = _by_id(folder, "faults", bank().faults, lambda item, at: _cell(item, known, at))
    return Content(claims, found_answers, found_faults)


def _by_id(folder: Folder, key: str, asked: Mapping[str, Text], read: Any) -> dict[str, tuple[Any, ...]]:
    """By id, what is written under `key`; a folder of the user's own replaces what ships."""
    out: dict[str, tuple[Any, ...]] = {}
    written: dict[str, int] = {}
    for where, data, root in folder.files:
        for name, item in (data.get(key) or {}).items():
            at = f"{where}: {name}"
            if name not in asked:
                near = nearest(name, list(asked))
                raise RuleError(f"there is no {name!r} in the bank", where=at, todo=f"nearest: {', '.join(near)}")
            if written.get(name) == root:
                raise RuleError("is written twice", where=at, todo="join the two")
            written[name] = root
            out[name] = tuple(read(i, at) for i in (item if isinstance(item, list) else [item]))
    return out


def _answer(item: Mapping[str, Any], known: set[str], where: str) -> Answer:
    def sentences(key: str) -> tuple[Sentence, ...]:
        return tuple(_sentence(s, known, where) for s in item.get(key, ()))

    versions = range_of(item.get("versions", ""), "answer", where)
    return Answer(sentences("says"), sentences("unless"), sentences("has_not"), versions)


def _cell(item: Mapping[str, Any], known: set[str], where: str) -> Cell:
    kind = next(k for k in ("handled", "not_handled", "not_applicable") if k in item)
    body = item[kind]
    if kind == "handled":
        parts = tuple((k, _sentence(body[k], known, where)) for k in ("detects", "memory", "request"))
    else:
        parts = ((kind, _sentence(body, known, where)),)
    return Cell(kind, parts, range_of(item.get("versions", ""), "cell", where))


def _sentence(item: Mapping[str, Any], known: set[str], where: str) -> Sentence:
    for claim in item.get("claims", ()):
        if claim not in known:
            near = nearest(claim, sorted(known))
            raise RuleError(f"there is no claim {claim!r}", where=where, todo=f"nearest: {', '.join(near) or 'none'}")
    return Sentence(Text(item["en"], item["zh"]), tuple(item.get("claims", ())))


# -- checking ----------------------------------------------------------------------------------
def check(
    spec: str,
    wanted: Callable[[Content], Iterable[str]],
    *,
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Verdicts:
    """Those claims of `ENGINE[@VERSION]` that are `wanted`, by id, each with evidence that was read again."""
    target, version = parse_spec(spec)
    return check_tree(target, version, open_tree((target, version), progress=progress), wanted, rules, progress)


def check_tree(
    target: Target,
    version: Version,
    tree: SourceTree,
    wanted: Callable[[Content], Iterable[str]],
    rules: Sequence[Path] = (),
    progress: Progress | None = None,
    world: Callable[[], World] | None = None,
) -> Verdicts:
    """The same of a tree at hand, by the claims for `version`; `world` gives it linked, where others ask that too."""
    said = content(target.name, tuple(rules))
    ids = set(wanted(said))
    claims = [c for c in said.claims if c.id in ids]
    store = Store()
    found = {c.id: _recall(store, tree, c, tuple(rules)) for c in claims}
    missing = [c for c in claims if found[c.id] is None]
    if missing:
        for claim, checked in zip(missing, _fresh(missing, target, version, tree, rules, progress, world), strict=True):
            found[claim.id] = checked
            store.put_answer(_key(tree, claim, tuple(rules)), msgspec.msgpack.encode(checked))
    lines: dict[str, list[str]] = {}
    verdicts = {k: _reread(tree, found[k], lines) for k in sorted(found)}
    return Verdicts(EngineRevision(tree.engine, tree.version, tree.revision), said, verdicts)


def named(said: Content, only: Sequence[str]) -> list[str]:
    """The claims of these ids, or whose id starts with one of them; all of them without any."""
    ids = [c.id for c in said.claims]
    found = [i for i in ids if not only or any(i == o or i.startswith((o + ".", o + "-")) for o in only)]
    if only and not found:
        near = nearest(only[0], ids)
        raise UsageError(f"there is no claim {only[0]!r}", todo=f"nearest: {', '.join(near) or 'none'}")
    return found


def behind(said: Content, questions: Sequence[str]) -> set[str]:
    """The claims that the answers to these questions rest on."""
    every = [a for q in questions for a in said.answers.get(q, ())]
    return {c for a in every for s in (*a.says, *a.unless, *a.has_not) for c in s.claims}


def behind_faults(said: Content) -> set[str]:
    """The claims that the failure matrix rests on."""
    return {c for cells in said.faults.values() for cell in cells for _, s in cell.parts for c in s.claims}


def _fresh(
    claims: Sequence[Claim],
    target: Target,
    version: Version,
    tree: SourceTree,
    rules: Sequence[Path],
    progress: Progress | None,
    world: Callable[[], World] | None,
) -> Iterable[Checked]:
    from tracer.claims.check import Checker
    from tracer.graph.world import World
    from tracer.rules import rules_for

    linked = world() if world else World([(survey(tree, Store(), progress), target)])
    checker = Checker(linked, version.name, rules_for(target.name, version.name, rules), rules)
    for number, claim in enumerate(claims):
        if progress:
            progress(f"check {tree.engine} {tree.version}", number, len(claims))
        yield from checker.check([claim])


def _reread(tree: SourceTree, checked: Checked | None, lines: dict[str, list[str]]) -> Checked:
    """The verdict, unknown where a line that it rests on is not what was read when it was made."""
    assert checked is not None
    for e in checked.evidence:
        if e.file not in lines:
            lines[e.file] = lines_of(tree.read(e.file))
        if digest_lines(lines[e.file], e.first, e.last) != e.digest:
            return replace(checked, verdict="unknown", why=f"{e.file}:{e.first} is no longer what was read")
    return checked


def _recall(store: Store, tree: SourceTree, claim: Claim, rules: tuple[Path, ...]) -> Checked | None:
    body = store.answer(_key(tree, claim, rules))
    return msgspec.msgpack.decode(body, type=Checked) if body else None


def _key(tree: SourceTree, claim: Claim, rules: tuple[Path, ...]) -> str:
    source = f"{tree.engine}:{tree.version}:{tree.revision.digest}:{tree.revision.commit}"
    said = digest_of(repr(claim))
    return f"claim:{said}:{source}:{answers.rules_digest(tree.engine, rules)}:{answers.code_digest()}"
