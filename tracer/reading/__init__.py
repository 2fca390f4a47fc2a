"""One function, class or run of statements, read exactly: `read` gives its statement tree, `flow` asks it for paths.

Takes a file's bytes and a span of its lines. Refuses to know engines, rules and files on disk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tracer.errors import SourceParseError, UsageError
from tracer.model import digest_of
from tracer.reading.statements import Block, Reading, Statement

__all__ = ["Block", "Reading", "Statement", "read"]

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """A file's bytes that compare by their digest, so that a cache need not compare the bytes."""

    digest: str
    data: bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Source) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def read(language: str, source: bytes, first: int, last: int, symbol: str) -> Reading:
    """The reading of lines `first`..`last` of `source`; `language` is "python" or "cpp".

    Readings are kept, so asking again costs little. Raises `SourceParseError` where the lines cannot be read.
    """
    return _read(language, _Source(digest_of(source), source), first, last, symbol)


@lru_cache(maxsize=4096)
def _read(language: str, source: _Source, first: int, last: int, symbol: str) -> Reading:
    lines = _lines(source)
    if not 1 <= first <= last <= max(1, len(lines)):
        raise SourceParseError(f"lines {first}-{last} are not in a file of {len(lines)} lines", where=symbol)
    if language == "python":
        from tracer.reading.python import read_python

        return read_python(lines, first, last, symbol)
    if language == "cpp":
        from tracer.reading.cpp import read_cpp

        return read_cpp(lines, first, last, symbol)
    raise UsageError(f"no reading of language {language!r}", where=symbol, todo="use python or cpp")


@lru_cache(maxsize=64)
def _lines(source: _Source) -> tuple[str, ...]:
    """The lines as every stage counts them: form feeds and the like do not end one."""
    lines = _LINE_END.split(source.data.decode("utf-8-sig", "replace"))
    if lines and not lines[-1]:
        lines.pop()
    return tuple(lines)
