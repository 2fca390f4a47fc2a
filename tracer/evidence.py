"""Evidence: re-read it, excerpt it, link to it.

Takes a source tree and the lines that a statement rests on; makes excerpts, web links to the very revision, and
verdicts on saved JSON documents. It knows nothing of rules and roles: only lines, digests and symbols count here.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tracer.errors import SourceUnavailableError, TracerError, UsageError
from tracer.model import Revision, SourceTree, digest_lines, lines_of
from tracer.survey import survey_file
from tracer.survey.facts import FileFacts
from tracer.targets import Target

Status = Literal["ok", "moved", "stale", "unread"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a file: `lines[0]` is line `start`; `first`..`last` are the decisive ones."""

    file: str
    start: int
    lines: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Claim:
    """One piece of evidence as a saved document states it; a step of a path has no digest."""

    engine: str
    version: str
    symbol: str
    file: str
    first: int
    last: int
    digest: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What re-reading a claim showed: ok, moved (to `now`), stale, or unread (no source); `why` is for the last two."""

    claim: Claim
    status: Status
    now: tuple[int, int] = (0, 0)
    why: str = ""


def excerpt(tree: SourceTree, file: str, first: int, last: int, context: int = 3) -> Excerpt:
    """Lines `first`..`last` of `file` with up to `context` lines around them."""
    lines = lines_of(tree.read(file))
    if not 1 <= first <= last <= len(lines):
        raise SourceUnavailableError(
            f"there are no lines {first}-{last}",
            where=f"{tree.engine}@{tree.version}: {file}",
            todo="run the question again",
        )
    start = max(1, first - context)
    return Excerpt(file, start, tuple(lines[start - 1 : last + context]), first, last)


def permalink(target: Target, revision: Revision, file: str, first: int, last: int) -> str:
    """Web address of the lines at the commit, else at the tag; "" where the revision has neither (a folder)."""
    ref, repository = revision.commit or revision.tag, revision.url or target.url
    if not (ref and repository):
        return ""
    anchor = f"#L{first}" if first == last else f"#L{first}-L{last}"
    base = repository.removesuffix("/").removesuffix(".git")
    return f"{base}/blob/{urllib.parse.quote(ref)}/{urllib.parse.quote(file)}{anchor}"


class ReadFile:
    """One file as it is now: its lines, and where its definitions lie."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self._data = path, data
        self.lines = lines_of(data)

    @cached_property
    def _facts(self) -> FileFacts:
        return survey_file(self.path, self._data)

    @property
    def parses(self) -> bool:
        """Whether its definitions are known at all."""
        return not self._facts.problem

    def definitions_of(self, symbol: str) -> list[tuple[int, int, int]]:
        """(line, first, last) of the definitions that `symbol` may mean: the longest names that end it."""
        separator = "::" if "::" in symbol else "."
        found = [d for d in self._facts.definitions if symbol == d.name or symbol.endswith(separator + d.name)]
        longest = max((len(d.name) for d in found), default=0)
        return [(d.line, d.first, d.last) for d in found if len(d.name) == longest]


def verify(document: Mapping[str, Any], open_tree: Callable[[str, str], SourceTree]) -> list[Verdict]:
    """Re-read every piece of evidence of a saved JSON document; `open_tree(engine, version)` gives the sources.

    Raises `UsageError` if the document is not one that Tracer writes. Where there is no source, claims stay unread.
    """
    verdicts: list[Verdict] = []
    trees: dict[tuple[str, str], SourceTree | str] = {}
    files: dict[tuple[str, str, str], ReadFile | str] = {}
    for claim in claims_of(document):
        spec = (claim.engine, claim.version)
        if spec not in trees:
            try:
                trees[spec] = open_tree(*spec)
            except TracerError as error:
                trees[spec] = str(error)
        tree = trees[spec]
        if isinstance(tree, str):
            verdicts.append(Verdict(claim, "unread", why=tree))
            continue
        key = (*spec, claim.file)
        if key not in files:
            try:
                files[key] = ReadFile(claim.file, tree.read(claim.file))
            except TracerError as error:
                files[key] = str(error)
        file = files[key]
        verdicts.append(Verdict(claim, "stale", why=file) if isinstance(file, str) else judge(claim, file))
    return verdicts


def judge(claim: Claim, file: ReadFile) -> Verdict:
    """Compare one claim with its file as it is now. A claim without a digest is one about a definition's line."""
    if not claim.digest:
        return _judge_definition(claim, file)
    lines, height = file.lines, claim.last - claim.first
    if digest_lines(lines, claim.first, claim.last) == claim.digest:
        return Verdict(claim, "ok", (claim.first, claim.last))
    found = [n for n in range(1, len(lines) - height + 1) if digest_lines(lines, n, n + height) == claim.digest]
    if not found:
        return Verdict(claim, "stale", why="these lines are no longer in the file")
    homes = file.definitions_of(claim.symbol)
    inside = [n for n in found if any(first <= n and n + height <= last for _, first, last in homes)]
    if not file.parses and len(found) == 1:
        inside = found  # a file that does not parse has no functions to look into; a line that is unique will do
    if not inside:
        return Verdict(claim, "stale", why=f"these lines are in the file, but not in {claim.symbol}")
    nearest = min(inside, key=lambda n: (abs(n - claim.first), n))
    return Verdict(claim, "moved", (nearest, nearest + height))


def _judge_definition(claim: Claim, file: ReadFile) -> Verdict:
    at = sorted({line for line, _, _ in file.definitions_of(claim.symbol)}, key=lambda n: (abs(n - claim.first), n))
    if claim.first in at:
        return Verdict(claim, "ok", (claim.first, claim.first))
    if at:
        return Verdict(claim, "moved", (at[0], at[0]))
    return Verdict(claim, "stale", why=f"{claim.symbol} is no longer defined in the file")


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many claims are ok, moved, stale, unread."""
    tally = {"ok": 0, "moved": 0, "stale": 0, "unread": 0}
    for verdict in verdicts:
        tally[verdict.status] += 1
    return tally


def claims_of(document: Mapping[str, Any]) -> Iterator[Claim]:
    """Every piece of evidence in a saved document: sites, the steps of paths, changes, what claims rest on."""
    engines = [_engine_of(item) for item in _list(document, "engines")]
    if not engines:
        raise UsageError("this is not a document of Tracer's: it names no engines", todo="save one with --format json")
    for item in _list(document, "sites"):
        yield _claim(item, engines)
    for path in _list(document, "paths"):
        for step in _list(path, "steps"):
            yield _claim(step, engines)
    for change in _list(document, "changes"):
        for side, (engine, version) in zip(("before", "after"), engines, strict=False):
            end = change.get(side) if isinstance(change, Mapping) else None
            if isinstance(end, Mapping) and _text(end, "file"):
                yield _claim({**end, "engine": engine, "version": version}, engines)
    yield from _behind_answers(document, engines)


def _behind_answers(document: Mapping[str, Any], engines: Sequence[tuple[str, str]]) -> Iterator[Claim]:
    """The evidence of claims: those of a `claims` document, of each answer, of each cell of the failure matrix."""
    cells = [cell for row in _list(document, "faults") for cell in _list(row, "cells")]
    held = [(item, claim) for item in (*_list(document, "answers"), *cells) for claim in _list(item, "claims")]
    for owner, claim in (*held, *((item, item) for item in _list(document, "claims"))):
        of = {"engine": _text(owner, "engine"), "version": _text(owner, "version")}
        for item in _list(claim, "evidence"):
            if not isinstance(item, Mapping):
                raise UsageError(f"this is not evidence: {str(item)[:60]!r}", todo="save the document again")
            yield _claim({**item, **of}, engines)


def _claim(item: Any, engines: Sequence[tuple[str, str]]) -> Claim:
    if not isinstance(item, Mapping):
        raise UsageError(f"this is not evidence: {str(item)[:60]!r}", todo="save the document again")
    engine, version = _text(item, "engine"), _text(item, "version")
    if not engine:
        # Documents about one engine do not repeat it; of several, a rule's id begins with its engine.
        head = _text(item, "rule").partition(".")[0]
        engine, version = next((e for e in engines if e[0] == head), engines[0])
    first = _line(item, "first") or _line(item, "line") or _line(item, "def_line")
    return Claim(
        engine,
        version,
        _text(item, "symbol"),
        _text(item, "file"),
        first,
        _line(item, "last") or first,
        _text(item, "digest") or _text(item, "text_digest"),
    )


def _engine_of(item: Any) -> tuple[str, str]:
    if not isinstance(item, Mapping) or not _text(item, "name"):
        raise UsageError("an engine without a name", todo="save the document again")
    return _text(item, "name"), _text(item, "version")


def _list(item: Mapping[str, Any], key: str) -> list[Any]:
    value = item.get(key, []) if isinstance(item, Mapping) else None
    if not isinstance(value, list):
        raise UsageError(f"{key!r} is not a list", todo="save the document again")
    return value


def _text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key, "")
    if not isinstance(value, str):
        raise UsageError(f"{key!r} is not text: {str(value)[:60]}", todo="save the document again")
    return value


def _line(item: Mapping[str, Any], key: str) -> int:
    value = item.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UsageError(f"{key!r} is not a line: {str(value)[:60]}", todo="save the document again")
    return value
