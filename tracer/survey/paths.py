"""The grammar of access paths (see `facts.py`): text ↔ parts. Cached, because the same few come again and again."""

from __future__ import annotations

import functools
import re

# Names of a path whose brackets hold nothing that could hold one: all but a few are such.
_NAMES = re.compile(r"(?:^|\.)([^.(\[]+)")
_ODD = re.compile(r"<|\[(?![\w*-]*\])|\((?!\))|\.(?![^.(\[])|^super\(\)|^[.(\[]")
_NAMELESS = frozenset({"self", "this", "super()", "cls"})  # roots


@functools.lru_cache(maxsize=1 << 18)
def parts(path: str) -> tuple[str, ...]:
    """Split an access path: root first, then suffixes `.name`, `()`, `[]`, `[0]`, `['k']`, `[*]`.

    >>> parts("self.map[].get().f")
    ('self', '.map', '[]', '.get', '()', '.f')
    """
    if not path:
        return ()
    out: list[str] = []
    i, n, depth = 0, len(path), 0
    start = 0
    if path.startswith("super()"):
        out.append("super()")
        start = i = 7
    while i < n:
        ch = path[i]
        if ch == "<":
            depth += 1
        elif ch == ">" and depth and path[i - 1] != "-":
            depth -= 1
        elif depth == 0 and ch in ".([":
            if i > start:
                out.append(path[start:i])
            if ch == ".":
                start = i
                i += 1
                while i < n and path[i] not in ".([<":
                    i += 1
                continue
            close = _closing(path, i)
            out.append(path[i : close + 1])
            start = i = close + 1
            continue
        i += 1
    if start < n:
        out.append(path[start:n])
    return tuple(out)


def _closing(path: str, i: int) -> int:
    """Index of the bracket that closes the one at `i` (the end if none does)."""
    want = {"(": ")", "[": "]"}[path[i]]
    quote = path[i + 1 : i + 2]
    if quote in ("'", '"'):
        end = path.find(quote + want, i + 2)
        return end + 1 if end >= 0 else len(path) - 1
    end = path.find(want, i)
    return end if end >= 0 else len(path) - 1


@functools.lru_cache(maxsize=1 << 18)
def names_in(path: str) -> tuple[str, ...]:
    """Identifiers in a path, in order: the root's last part (not literals, not `<T>`, not `self`) and every `.name`."""
    if _ODD.search(path) is None:
        names: list[str] = _NAMES.findall(path)
        if names and (names[0][0] in "#?" or names[0] in _NAMELESS):
            del names[0]
        elif names and "::" in names[0]:
            names[0] = names[0].rsplit("::", 1)[-1]
        return tuple(names)
    out = []
    for k, p in enumerate(parts(path)):
        if p[0] == ".":
            out.append(p[1:].split("<", 1)[0])
        elif k == 0 and p[0] not in "#?<" and p not in _NAMELESS:
            out.append(p.split("<", 1)[0].rsplit("::", 1)[-1])
    return tuple(out)


def join(items: tuple[str, ...] | list[str]) -> str:
    """The text of the given parts."""
    return "".join(items)
