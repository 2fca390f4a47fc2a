"""One function, class or run of statements, read exactly: `read` gives its statement tree, `flow` asks it for paths.

Takes a file's bytes and a span of its lines. Refuses to know engines, rules and files on disk.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import lru_cache

from tracer.errors import SourceParseError, UsageError
from tracer.model import digest_of
from tracer.reading.statements import Block, Reading, Statement

__all__ = ["Block", "Reading", "Statement", "read"]

_LINE_END = re.compile(r"\r\n|\r|\n")


_KEPT = 4096
_kept: OrderedDict[tuple[str, str, int, int, str], Reading] = OrderedDict()


def read(language: str, source: bytes, first: int, last: int, symbol: str) -> Reading:
    """The reading of lines `first`..`last` of `source`; `language` is "python" or "cpp".

    Readings are kept by the digest of `source`, so asking again costs little. Raises `SourceParseError` where the
    lines cannot be read.
    """
    # Not functools.lru_cache: it would keep the bytes of every file as part of its keys.
    key = (language, digest_of(source), first, last, symbol)
    found = _kept.get(key)
    if found is None:
        found = _kept[key] = _read(language, source, first, last, symbol)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    else:
        _kept.move_to_end(key)
    return found


def _read(language: str, source: bytes, first: int, last: int, symbol: str) -> Reading:
    if language == "cpp":
        from tracer.reading.cpp import read_cpp

        return read_cpp(source, first, last, symbol)
    if language != "python":
        raise UsageError(f"no reading of language {language!r}", where=symbol, todo="use python or cpp")
    from tracer.reading.python import read_python

    lines = _lines(source)
    if not 1 <= first <= last <= len(lines):
        raise SourceParseError(f"lines {first}-{last} are not in a file of {len(lines)} lines", where=symbol)
    return read_python(lines, first, last, symbol)


@lru_cache(maxsize=24)
def _lines(source: bytes) -> tuple[str, ...]:
    """The lines as every stage counts them: form feeds and the like do not end one."""
    lines = _LINE_END.split(source.decode("utf-8-sig", "replace"))
    if lines and not lines[-1]:
        lines.pop()
    return tuple(lines)
