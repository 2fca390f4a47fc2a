"""What a document cites: every line that it names, with the digest of its text where the document keeps one.

Takes a document of the machine-readable contract. `claims_of` finds each piece of evidence in it by its shape, whatever
the command: a mapping with a `file` and lines, and lines below it that are of the same file. `sealed` adds `digests`
to a document: the digest of every cited line that has none beside it, so that `verify` can say of each whether it
still reads the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tracer.checkout import open_tree
from tracer.errors import TracerError, UsageError
from tracer.model import SourceTree, digest_lines, lines_of

Trees = Callable[[str, str], SourceTree]  # engine, version → its source
SEAL = "digests"
_NOT_CITED = frozenset({"engines", SEAL, "searches", "page", "counts"})
_ALONE = ("since", "on_line")  # lines of the file that is being spoken of; a tour has steps that are called so
_SEVERAL = ("path", "a_lines", "b_lines", "missing", "lines")  # lists of such lines
_ITEMS = ("sites", "paths", "steps", "stops", "functions", "carriers", "changes", "answers", "claims", "faults",
          "evidence", "entries", "exits")  # fmt: skip
# What `diff` says of a place in words, and names lines in it.
_CALLER = re.compile(
    r"(?:called from |run by \w+ from |\w+ → )?([\w.:~$]+) \(([^\s()]+\.\w+):([1-9]\d{0,8})\)(?: only if (?s:.*))?"
)
_LEAVING = re.compile(r"\w+ at ([1-9]\d{0,8}) since ([1-9]\d{0,8})")
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Claim:
    """One piece of evidence: lines of a file that belong to a symbol.

    Without a digest it says less: that the lines are the symbol's (`definition`: that it is defined there). `def_line`
    says where the symbol is defined, beside lines that are cited themselves; `quoted` are lines as they were printed.
    """

    engine: str
    version: str
    symbol: str
    file: str
    first: int
    last: int
    digest: str
    definition: bool = False
    def_line: int = 0
    quoted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """What is being spoken of when a line is named."""

    engine: str = ""
    version: str = ""
    file: str = ""
    symbol: str = ""
    before: _Place | None = None  # of the item before this one: a step is reached from it


def claims_of(document: Mapping[str, Any]) -> Iterator[Claim]:
    """Every piece of evidence of a saved document, in its order; `UsageError` for what is no document of Tracer's."""
    engines = [_engine_of(item) for item in _list(document, "engines")]
    if not engines:
        raise UsageError("this is not a document of Tracer's: it names no engines", todo="save one with --format json")
    known = _seals(document)
    for claim in _Reader(engines).any(document, _Place(*engines[-1]), 0):
        key = (claim.engine, claim.version, claim.file, claim.first, claim.last)
        yield claim if claim.digest or claim.quoted else replace(claim, digest=known.get(key, ""))


def _here(engine: str, version: str) -> SourceTree:
    """A source that lies on this machine."""
    return open_tree(f"{engine}@{version}", fetch=False)


def sealed(document: dict[str, Any], trees: Trees = _here) -> dict[str, Any]:
    """The document with the digests of all lines that it cites without one; lines that cannot be read are left out."""
    if not document.get("engines"):
        return document
    bare = {k: v for k, v in document.items() if k != SEAL}
    cited = {(c.engine, c.version, c.file, c.first, c.last) for c in claims_of(bare) if not c.digest and not c.quoted}
    texts: dict[tuple[str, str, str], Sequence[str]] = {}
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for *where, first, last in sorted(cited):
        engine, version, file = place = (where[0], where[1], where[2])
        if place not in texts:
            texts[place] = _lines(trees, engine, version, file)
        if digest := digest_lines(texts[place], first, last):
            rows.setdefault(place, {})[f"{first}-{last}" if last > first else f"{first}"] = digest
    if not rows:
        return bare
    return bare | {SEAL: [{"engine": e, "version": v, "file": f, "lines": found} for (e, v, f), found in rows.items()]}


def _lines(trees: Trees, engine: str, version: str, file: str) -> Sequence[str]:
    try:
        return lines_of(trees(engine, version).read(file))
    except TracerError:
        return ()


def _seals(document: Mapping[str, Any]) -> dict[tuple[str, str, str, int, int], str]:
    found = {}
    for row in _list(document, SEAL):
        lines = row.get("lines", {}) if isinstance(row, Mapping) else None
        if not isinstance(lines, Mapping):
            raise _strange(row)
        for key, digest in lines.items():
            first, _, last = str(key).partition("-")
            if not (first.isdecimal() and (last or first).isdecimal() and isinstance(digest, str)):
                raise _strange(row)
            place = (_text(row, "engine"), _text(row, "version"), _text(row, "file"))
            found[*place, int(first), int(last or first)] = digest
    return found


class _Reader:
    """Walks a document once; it knows shapes, not commands."""

    def __init__(self, engines: Sequence[tuple[str, str]]) -> None:
        self._engines = engines

    def any(self, item: Any, at: _Place, depth: int) -> Iterator[Claim]:
        if depth > _DEEPEST:
            raise UsageError("the document is nested too deeply", todo="save it again with --format json")
        if isinstance(item, list):
            for one in item:
                yield from self.any(one, at, depth + 1)
                if isinstance(one, Mapping) and isinstance(one.get("symbol"), str):
                    of = replace(self._engine(one, at), file=_text(one, "file"), symbol=one["symbol"], before=None)
                    at = replace(at, before=of)
        elif isinstance(item, Mapping):
            yield from self._mapping(item, at, depth)

    def _mapping(self, item: Mapping[str, Any], at: _Place, depth: int) -> Iterator[Claim]:
        at = self._engine(item, at)
        if file := _text(item, "file"):
            at = replace(at, file=file, symbol=_text(item, "symbol"))
            yield from self._own(item, at)
        elif at.file:
            yield from self._below(item, at)
        for key in _ITEMS:
            _check_items(item, key)
        for key, value in item.items():
            if key in _NOT_CITED or not isinstance(value, (list, Mapping)):
                continue
            inner = at
            if key in ("before", "after") and len(self._engines) > 1:
                engine, version = self._engines[0 if key == "before" else 1]
                inner = replace(at, engine=engine, version=version)
            yield from self.any(value, replace(inner, before=None), depth + 1)

    def _own(self, item: Mapping[str, Any], at: _Place) -> Iterator[Claim]:
        """What an item says of its own file."""
        defined, statement = _line(item, "def_line"), _line(item, "first") or _line(item, "line")
        if first := statement:
            last = (_line(item, "last") or first) if _line(item, "first") else first
            digest = _text(item, "digest") or _text(item, "text_digest")
            yield self._claim(at, first, last, digest, def_line=defined)
        elif defined:
            yield self._claim(at, defined, defined, "", definition=True)
        yield from self._quoted(item, at, statement or defined)
        yield from self._named(item, at)
        if (line := _line(item, "from_line")) and (file := _text(item, "from_file")):
            of = at.before or replace(at, symbol="")
            if file == at.file != of.file:  # a result comes back: the line is in what it comes to
                of = at
            yield self._claim(replace(of, file=file), line, line, "")

    def _below(self, item: Mapping[str, Any], at: _Place) -> Iterator[Claim]:
        """What an item without a file says of the file around it."""
        first = _line(item, "first") or _line(item, "line")
        if first:
            yield self._claim(at, first, (_line(item, "last") or first) if _line(item, "first") else first, "")
        yield from self._quoted(item, at, _line(item, "start"))
        yield from self._named(item, at)

    def _named(self, item: Mapping[str, Any], at: _Place) -> Iterator[Claim]:
        for said in item["text"] if isinstance(item.get("text"), list) else ():
            if isinstance(said, str) and (caller := _CALLER.fullmatch(said)):
                yield self._claim(replace(at, file=caller[2], symbol=caller[1]), int(caller[3]), int(caller[3]), "")
            elif isinstance(said, str) and (leaving := _LEAVING.fullmatch(said)):
                yield from (self._claim(at, int(n), int(n), "") for n in leaving.groups())
        for key in _ALONE:
            value = item.get(key) if item.get("line") or item.get("b_lines") is not None else None
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                yield self._claim(at, value, value, "")
        for key in _SEVERAL:
            for value in item[key] if isinstance(item.get(key), list) else ():
                if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                    yield self._claim(at, value, value, "")

    def _quoted(self, item: Mapping[str, Any], at: _Place, start: int) -> Iterator[Claim]:
        """Lines that are printed with their text, as a tour and an assistant's page have them."""
        lines = item.get("lines")
        if start and isinstance(lines, list) and lines and all(isinstance(line, str) for line in lines):
            yield replace(self._claim(at, start, start + len(lines) - 1, ""), quoted=tuple(lines))

    def _claim(self, at: _Place, first: int, last: int, digest: str, *, definition: bool = False,
               def_line: int = 0) -> Claim:  # fmt: skip
        return Claim(at.engine, at.version, at.symbol, at.file, first, last, digest, definition, def_line)

    def _engine(self, item: Mapping[str, Any], at: _Place) -> _Place:
        """Of which engine and version an item speaks: its own, its rule's, or those of what is around it."""
        name, version = item.get("engine"), item.get("version")
        if isinstance(name, str) and name:
            found = version if isinstance(version, str) and version else self._version(name)
            return replace(at, engine=name, version=found)
        if isinstance(version, str) and version and any(e == at.engine for e, _ in self._engines):
            return replace(at, version=version)
        head = _text(item, "rule").partition(".")[0] if isinstance(item.get("rule"), str) else ""
        if len({e for e, _ in self._engines}) > 1 and (of := self._version(head)):
            return replace(at, engine=head, version=of)
        return at

    def _version(self, name: str) -> str:
        return next((v for e, v in self._engines if e == name), "")


def _check_items(item: Mapping[str, Any], key: str) -> None:
    """What holds evidence is a list of items; claims may also be named by their ids."""
    for one in _list(item, key):
        if not isinstance(one, Mapping) and not (key == "claims" and isinstance(one, str)):
            raise _strange(one)


def _strange(item: Any) -> UsageError:
    return UsageError(f"this is not evidence: {str(item)[:60]!r}", todo="save the document again")


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
