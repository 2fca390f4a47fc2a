"""Source bytes → source bytes of equal length and lines that a C++ parser reads well; and the file's includes.

Takes the bytes of a C, C++ or CUDA file. Directives, attribute macros and CUDA's launch brackets become spaces, so every
line and column stays. Both branches of `#if`/`#else` stay when they read well one after the other; where they cannot
(two heads of one block) the first stays. Refuses to know syntax trees and facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Prepared(NamedTuple):
    """What the parser gets, and what preparing found."""

    code: bytes
    includes: tuple[tuple[str, int], ...]  # path, line
    dropped: tuple[tuple[int, int], ...]   # byte ranges of branches that were left out


_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w*)((?:[^\n\\]+|\\\r?\n|\\.)*)", re.M)
_INCLUDE = re.compile(rb"[ \t]*[\"<]([^\">\n]+)[\">]")
_COMMENTS_AND_STRINGS = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|R\"([^()\\\s]{0,16})\(.*?\)\1\"|\"(?:[^\"\\\n]|\\.)*\"|(?<![\w])'(?:[^'\\\n]|\\.)+'", re.S)
_ELSE = re.compile(rb"\}?\s*else\b(?!\s*if\b)")
_ENDS = b";{}:,\"\\"


def prepare(source: bytes) -> Prepared:
    """Blank what is not C++ proper; nothing moves."""
    code = bytearray(source.replace(b"\0", b" "))
    if code[:3] == b"\xef\xbb\xbf":
        code[:3] = b"   "
    includes, dropped = _directives(source, code)
    return Prepared(_macros(bytes(code)), includes, dropped)


def _spaces(text: bytes | bytearray) -> bytes:
    """As many bytes, all spaces but the line ends."""
    if b"\n" not in text:
        return b" " * len(text)
    return b"\n".join(b" " * len(line) for line in text.split(b"\n"))


# -- directives ---------------------------------------------------------------------------------------------------
def _directives(source: bytes, code: bytearray) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[int, int], ...]]:
    includes: list[tuple[str, int]] = []
    dropped: list[tuple[int, int]] = []
    groups: list[list[tuple[int, int, bytes]]] = []  # of each open #if: its branches (start of directive, end, condition)
    row, counted = 1, 0
    for found in _DIRECTIVE.finditer(source):
        word, rest, start, end = found[1], found[2], found.start(), found.end()
        comment = rest.find(b"/*")
        if comment >= 0 and b"*/" not in rest[comment:]:
            end = found.start(2) + comment  # the comment goes on in the next lines
        code[start:end] = _spaces(code[start:end])
        if word in (b"include", b"include_next", b"import"):
            path = _INCLUDE.match(rest)
            if path:
                row += source.count(b"\n", counted, start)
                counted = start
                includes.append((path[1].decode("utf-8", "replace"), row))
        elif word in (b"if", b"ifdef", b"ifndef"):
            groups.append([(start, end, rest.strip())])
        elif word in (b"else", b"elif", b"elifdef", b"elifndef") and groups:
            groups[-1].append((start, end, rest.strip()))
        elif word == b"endif" and groups:
            dropped += _close(groups.pop(), start, code)
    return tuple(includes), tuple(dropped)


def _close(group: list[tuple[int, int, bytes]], close: int, code: bytearray) -> list[tuple[int, int]]:
    """Blank the branches of a finished `#if` that cannot be read after the others."""
    stops = [start for start, _, _ in group[1:]] + [close]
    spans = [(end, stop) for (_, end, _), stop in zip(group, stops, strict=True)]
    gone: list[tuple[int, int]] = []
    if group[0][2] == b"0" and group[0][0] >= 0:
        gone.append(spans.pop(0))
    if len(spans) > 1:
        texts = [_COMMENTS_AND_STRINGS.sub(_as_quotes, bytes(code[a:b])).strip() for a, b in spans]
        full = [k for k, t in enumerate(texts) if t]
        if len(full) > 1 and not _readable([texts[k] for k in full]):
            gone += [spans[k] for k in full[1:]]
    for a, b in gone:
        code[a:b] = _spaces(code[a:b])
    return gone


def _as_quotes(found: re.Match[bytes]) -> bytes:
    return b'""' if found[0][:1] in b"\"R" else b" "


def _readable(branches: list[bytes]) -> bool:
    """Whether the branches can follow one another: each is balanced and finished, and at most one is an `else`."""
    elses = 0
    for text in branches:
        if text.count(b"{") != text.count(b"}") or text.count(b"(") != text.count(b")") or text[-1] not in _ENDS:
            return False
        elses += _ELSE.match(text) is not None
    return elses < 2


# -- macros -------------------------------------------------------------------------------------------------------
_SAFETY = re.compile(
    rb"\b(?:[A-Z][A-Z0-9]*_)*(?:(?:PT_)?GUARDED_(?:BY|VAR)|NO_THREAD_SAFETY_ANALYSIS|LOCKS?_(?:REQUIRED|EXCLUDED|RETURNED)|"
    rb"ACQUIRE(?:_SHARED)?|ACQUIRED_(?:BEFORE|AFTER)|RELEASE(?:_SHARED|_GENERIC)?|REQUIRES(?:_SHARED)?|EXCLUDES|"
    rb"ASSERT_(?:SHARED_)?CAPABILITY|CAPABILITY|LOCKABLE|(?:UN|TRY)?LOCK_FUNCTION|ATTRIBUTE_[A-Z_]+)\b"
)
_SAFETY_WORDS = (b"GUARDED_", b"_ANALYSIS", b"LOCK", b"ACQUIRE", b"RELEASE", b"REQUIRES", b"EXCLUDES", b"CAPABILITY", b"ATTRIBUTE_")
_ATTRIBUTE = re.compile(rb"\b(?:__attribute(?:__)?|__declspec|__launch_bounds__|__maxnreg__|__cluster_dims__|__align__)(?=\s*\()")
_SPECIFIER = re.compile(
    rb"\b__(?:(?:global|device|host|shared|constant|managed|noinline|forceinline|inline|grid_constant|restrict|extension|"
    rb"always_inline)__|forceinline\b|restrict\b|inline\b)"
)
_LAUNCH = re.compile(rb"<<<(?:[^;{}]|\{[^;{}]*\})*?>>>(?=\s*\()")
_HEAD = re.compile(rb"\b(?:class|struct|union)[ \t]+([A-Z][A-Z0-9_]{2,}(?:\([^()]*\))?)(?=\s+[A-Za-z_]\w*\s*(?:final\s*)?[:{])")
_WORD_BEFORE = re.compile(rb"([A-Za-z_]\w*)\s*\Z")
_EXPRESSION_WORDS = frozenset({b"return", b"case", b"else", b"throw", b"new", b"delete", b"do", b"goto", b"co_return", b"co_await", b"enum", b"using"})


def _macros(text: bytes) -> bytes:
    """Blank what a preprocessor would have removed from declarators and class heads."""
    if any(word in text for word in _SAFETY_WORDS):
        text = _blank(_SAFETY, text, _in_declarator)
    if b"__" in text:
        if b"__attribute" in text or b"__declspec" in text or b"s__" in text or b"__align__" in text or b"__maxn" in text:
            text = _blank(_ATTRIBUTE, text)
        if _SPECIFIER.search(text):
            text = _SPECIFIER.sub(lambda found: _spaces(found[0]), text)
    if b"<<<" in text:
        text = _LAUNCH.sub(lambda found: _spaces(found[0]), text)
    return _HEAD.sub(lambda found: found[0].replace(found[1], _spaces(found[1]), 1), text)


def _in_declarator(text: bytes, start: int, end: int) -> bool:
    """Whether a macro stands where only a declarator's attribute can: behind a name, a type or a closing bracket."""
    before = text[max(0, start - 40):start].rstrip()
    if not before or before[-1:] not in b"_)]>*&}" and not before[-1:].isalnum():
        return False
    word = _WORD_BEFORE.search(before)
    if word and word[1] in _EXPRESSION_WORDS:
        return False
    behind = _behind_parens(text, end)
    after = text[behind:behind + 40].lstrip()[:1]
    return behind > end or after in (b"{", b";") or after.isalpha()


def _blank(pattern: re.Pattern[bytes], text: bytes, wanted: Callable[[bytes, int, int], bool] | None = None) -> bytes:
    """Blank every match, with the balanced parentheses behind it."""
    out: list[bytes] = []
    at = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        if start < at or wanted is not None and not wanted(text, start, end):
            continue
        end = _behind_parens(text, end)
        out += [text[at:start], _spaces(text[start:end])]
        at = end
    return b"".join([*out, text[at:]])


def _behind_parens(text: bytes, end: int) -> int:
    """The offset behind `( … )` that follows `end`, or `end` where none follows or it does not close nearby."""
    at = end
    while text[at:at + 1].isspace():
        at += 1
    if text[at:at + 1] != b"(":
        return end
    depth = 0
    for i in range(at, min(len(text), at + 2000)):
        if text[i] == 40:
            depth += 1
        elif text[i] == 41:
            depth -= 1
            if not depth:
                return i + 1
    return end
