"""Source bytes → source bytes of equal length and lines that a C++ parser reads well; and the file's includes.

Takes the bytes of a C, C++ or CUDA file. Directives, attribute macros and CUDA's launch brackets become spaces, so
every line and column stays. Both branches of `#if`/`#else` stay when they read well one after the other; where they
cannot (two heads of one block) one of them stays. Refuses to know syntax trees and facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Prepared(NamedTuple):
    """What the parser gets, and what preparing found."""

    code: bytes
    includes: tuple[tuple[str, int], ...]  # path, line
    dropped: tuple[tuple[int, int], ...]  # byte ranges of branches that were left out


class _Branch(NamedTuple):
    """One branch of a conditional: where its directive starts and ends, and the condition."""

    start: int
    end: int
    condition: bytes


# Patterns start with a plain character where they can: Python's `re` looks for that ten times as fast as for a class.
_DIRECTIVE = re.compile(rb"\n([ \t]*#[ \t]*(\w*)((?:[^\n\\]+|\\\r?\n|\\.)*))")
_DEFINED = re.compile(rb"[ \t]+([A-Za-z_]\w{2,})(?!\()((?:[ \t\\].*)?)\Z", re.S)
_ONE_SPECIFIER = re.compile(rb"__\w+(?:\(\w*\))?|inline|static|\\|__attribute__\(\(\w+\)\)|\[\[[\w:]+\]\]")
_PATIENCE = 4
_GUARDS = (b"_H", b"_H_", b"_H__", b"_HPP", b"_HPP_", b"_CUH", b"_CUH_")
_INCLUDE = re.compile(rb"[ \t]*[\"<]([^\">\n]+)[\">]")
_COMMENTS_AND_STRINGS = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|R\"([^()\\\s]{0,16})\(.*?\)\1\"|\"(?:[^\"\\\n]|\\.)*\"|(?<![\w])'(?:[^'\\\n]|\\.)+'",
    re.S,
)
_ELSE = re.compile(rb"\}?\s*else\b(?!\s*if\b)")
_ENDS = b';{}:,"\\'


def prepare(source: bytes) -> Prepared:
    """Blank what is not C++ proper; nothing moves."""
    code = bytearray(source.replace(b"\0", b" "))
    if code[:3] == b"\xef\xbb\xbf":
        code[:3] = b"   "
    found = _Directives(source, code)
    return Prepared(_macros(bytes(code), found.specifiers), tuple(found.includes), tuple(found.dropped))


def _spaces(text: bytes | bytearray) -> bytes:
    """As many bytes, all spaces but the line ends."""
    if b"\n" not in text:
        return b" " * len(text)
    return b"\n".join(b" " * len(line) for line in text.split(b"\n"))


# -- directives -------------------------------------------------------------------------------------------------------
class _Directives:
    """Blanks all directives of `code`, and keeps what they say."""

    def __init__(self, source: bytes, code: bytearray) -> None:
        self.includes: list[tuple[str, int]] = []
        self.dropped: list[tuple[int, int]] = []
        self.specifiers: set[bytes] = set()  # macros that stand for specifiers or nothing
        self.effort = 0  # bytes looked at in branches; nested ones count again
        open_: list[list[_Branch]] = []
        row, counted = 1, 0
        for found in _DIRECTIVE.finditer(b"\n" + source):
            word, rest, start, end = found[2], found[3], found.start(1) - 1, found.end() - 1
            comment = rest.find(b"/*")
            if comment >= 0 and b"*/" not in rest[comment:]:
                end = found.start(3) - 1 + comment  # the comment goes on in the next lines
            code[start:end] = _spaces(code[start:end])
            if word in (b"include", b"include_next", b"import"):
                path = _INCLUDE.match(rest)
                if path:
                    row, counted = row + source.count(b"\n", counted, start), start
                    self.includes.append((path[1].decode("utf-8", "replace"), row))
            elif word == b"define":
                name = _DEFINED.match(rest)
                if name and not name[1].endswith(_GUARDS) and _is_specifiers(name[2]):
                    self.specifiers.add(name[1])
            elif word in (b"if", b"ifdef", b"ifndef"):
                open_.append([_Branch(start, end, rest.strip())])
            elif word in (b"else", b"elif", b"elifdef", b"elifndef") and open_:
                open_[-1].append(_Branch(start, end, rest.strip()))
            elif word == b"endif" and open_:
                self._close(open_.pop(), start, code)

    def _close(self, branches: list[_Branch], close: int, code: bytearray) -> None:
        """Blank the branches of a finished `#if` that cannot be read after the others."""
        stops = [branch.start for branch in branches[1:]] + [close]
        spans = [(branch.end, stop) for branch, stop in zip(branches, stops, strict=True)]
        gone = [spans.pop(0)] if branches[0].condition == b"0" else []
        self.effort += close - branches[0].start
        if len(spans) > 1 and self.effort < _PATIENCE * len(code) + 200_000:  # deeper nesting nobody writes
            texts = [_COMMENTS_AND_STRINGS.sub(_as_quotes, bytes(code[a:b])).strip() for a, b in spans]
            full = [k for k, text in enumerate(texts) if text]
            if len(full) > 1 and not _readable([texts[k] for k in full]):
                kept = next((k for k in full if _readable([texts[k]])), full[0])
                gone += [spans[k] for k in full if k != kept]
        for a, b in gone:
            code[a:b] = _spaces(code[a:b])
        self.dropped += gone


def _is_specifiers(value: bytes) -> bool:
    return len(value) < 200 and all(_ONE_SPECIFIER.fullmatch(word) for word in value.split())


def _as_quotes(found: re.Match[bytes]) -> bytes:
    return b'""' if found[0][:1] in b'"R' else b" "


def _readable(branches: list[bytes]) -> bool:
    """Whether the branches can follow one another: each is balanced and finished, and at most one is an `else`."""
    elses = 0
    for text in branches:
        if text.count(b"{") != text.count(b"}") or text.count(b"(") != text.count(b")") or text[-1] not in _ENDS:
            return False
        elses += _ELSE.match(text) is not None
    return elses < 2


# -- macros -----------------------------------------------------------------------------------------------------------
_SAFETY = re.compile(
    rb"\b(?:[A-Z][A-Z0-9]*_)*(?:(?:PT_)?GUARDED_(?:BY|VAR)|NO_THREAD_SAFETY_ANALYSIS|LOCKS?_(?:REQUIRED|EXCLUDED|RETURNED)|"
    rb"ACQUIRE(?:_SHARED)?|ACQUIRED_(?:BEFORE|AFTER)|RELEASE(?:_SHARED|_GENERIC)?|REQUIRES(?:_SHARED)?|EXCLUDES|"
    rb"ASSERT_(?:SHARED_)?CAPABILITY|CAPABILITY|LOCKABLE|(?:UN|TRY)?LOCK_FUNCTION|ATTRIBUTE_[A-Z_]+)\b"
)
_SAFETY_WORDS = (
    b"GUARDED_", b"_ANALYSIS", b"LOCK", b"ACQUIRE", b"RELEASE", b"REQUIRES", b"EXCLUDES", b"CAPABILITY", b"ATTRIBUTE_",
)  # fmt: skip
_ATTRIBUTE = re.compile(
    rb"\b(?:__attribute(?:__)?|__declspec|__launch_bounds__|__maxnreg__|__cluster_dims__|__align__)(?=\s*\()"
)
_ATTRIBUTE_WORDS = (b"__attribute", b"__declspec", b"s__", b"__align__", b"__maxn")
_SPECIFIER = re.compile(
    rb"\b__(?:(?:global|device|host|shared|constant|managed|noinline|forceinline|inline|grid_constant|restrict|extension|"
    rb"always_inline)__|forceinline\b|restrict\b|inline\b)"
)
_SPECIFIER_WORDS = (
    b"__global__", b"__device__", b"__host__", b"__shared__", b"__restrict", b"__inline", b"__forceinline",
    b"__noinline", b"__constant__", b"__managed__", b"__grid_", b"__extension__", b"__always_inline",
)  # fmt: skip
_THREADS = re.compile(rb"\bPy_(?:BEGIN|END)_ALLOW_THREADS\b")
_LAUNCH = re.compile(rb"<<<[^;]{1,400}?>>>(?=\s*\()")
_HEADS = tuple(  # class EXPORT_MACRO Name {
    re.compile(
        word + rb"(?<!\w" + word + rb")[ \t]+([A-Z][A-Z0-9_]{2,}(?:\([^()]*\))?)"
        rb"(?=\s+[A-Za-z_]\w*\s*(?:final\s*)?[:{])"
    )
    for word in (b"class", b"struct", b"union")
)
_LEADING = re.compile(  # INLINE_MACRO static int f(…) · INLINE_MACRO ns::T<int>& f(…)
    rb"\n[ \t]*([A-Z][A-Z0-9_]{4,})"
    rb"(?=\s+(?:(?:static|inline|constexpr|explicit|virtual|extern|void|bool|int|float|auto|double)\b"
    rb"|[A-Za-z_][\w:]*(?:<[^;{}()=]*>)?[\s&*]+~?[A-Za-z_][\w:]*\s*\())"
)
_ALONE = re.compile(  # a line of one macro at the left margin, also with arguments but without a semicolon
    rb"\n[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^;{}()]*\))?[ \t]*$"
    rb"(?=\s*(?:[A-Z][A-Z0-9_]+\b|\Z|\}|//|/\*|template\b|namespace\b|static\b|void\b|using\b|extern\b|inline\b|class\b"
    rb"|struct\b|enum\b))",
    re.M,
)
_AFTER_STRING = re.compile(  # "text" HERE_MACRO)
    rb"\"(?:[^\"\\\n]|\\.)*\"[ \t]+(?:\n[ \t]*)?([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=\s*[,);])"
)
_HERE = re.compile(rb"\"\s+[A-Z][A-Z0-9]*_[A-Z0-9_]+\s*[,);]")
_PAREN = re.compile(rb"[()]")
_WORD_BEFORE = re.compile(rb"([A-Za-z_]\w*)\s*\Z")
_EXPRESSION_WORDS = frozenset({
    b"return", b"case", b"else", b"throw", b"new", b"delete", b"do", b"goto", b"co_return", b"co_await", b"enum",
    b"using",
})  # fmt: skip


def _macros(text: bytes, defined: set[bytes]) -> bytes:
    """Blank what a preprocessor would have removed from declarators and class heads."""
    text = b"\n" + text  # so that every line starts behind one
    if defined:  # the file says itself that these stand for specifiers
        longest_first: list[bytes] = sorted(defined, key=lambda word: (-len(word), word))
        words = re.compile(rb"\b(?:" + b"|".join(longest_first) + rb")\b")
        text = words.sub(_spaced, text)
    if any(word in text for word in _SAFETY_WORDS):
        text = _blank(_SAFETY, text, _in_declarator)
    if b"__" in text:
        if any(word in text for word in _ATTRIBUTE_WORDS):
            text = _blank(_ATTRIBUTE, text)
        if any(word in text for word in _SPECIFIER_WORDS):
            text = _SPECIFIER.sub(_spaced, text)
    if b"<<<" in text:
        text = _LAUNCH.sub(_spaced, text)
    if b"_ALLOW_THREADS" in text:
        text = _THREADS.sub(_spaced, text)
    if _HERE.search(text):
        text = _AFTER_STRING.sub(_spaced_group, text)
    for pattern in (*_HEADS, _LEADING):
        text = pattern.sub(_spaced_group, text)
    return _ALONE.sub(_spaced, text)[1:]


def _spaced(found: re.Match[bytes]) -> bytes:
    return _spaces(found[0])


def _spaced_group(found: re.Match[bytes]) -> bytes:
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + _spaces(found[1]) + found[0][end:]


def _in_declarator(text: bytes, start: int, end: int) -> bool:
    """Whether a macro stands where only a declarator's attribute can: behind a name, a type or a closing bracket."""
    before = text[max(0, start - 40) : start].rstrip()
    if not before or (before[-1:] not in b"_)]>*&}" and not before[-1:].isalnum()):
        return False
    word = _WORD_BEFORE.search(before)
    if word and word[1] in _EXPRESSION_WORDS:
        return False
    behind = _behind_parens(text, end)
    after = text[behind : behind + 40].lstrip()[:1]
    return behind > end or after in (b"{", b";") or after.isalpha()


def _blank(pattern: re.Pattern[bytes], text: bytes, wanted: Callable[[bytes, int, int], bool] | None = None) -> bytes:
    """Blank every match, with the balanced parentheses behind it."""
    out: list[bytes] = []
    at = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        if start < at or (wanted is not None and not wanted(text, start, end)):
            continue
        end = _behind_parens(text, end)
        out += [text[at:start], _spaces(text[start:end])]
        at = end
    return b"".join([*out, text[at:]])


def _behind_parens(text: bytes, end: int) -> int:
    """The offset behind `( … )` that follows `end`, or `end` where none follows or it does not close nearby."""
    at = end
    while text[at : at + 1].isspace():
        at += 1
    if text[at : at + 1] != b"(":
        return end
    depth = 0
    for found in _PAREN.finditer(text, at, at + 1000):
        depth += 1 if found[0] == b"(" else -1
        if not depth:
            return found.end()
    return end
