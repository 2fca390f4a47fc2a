"""Small sources grown at random, of which the grower knows on which lines each statement stands.

Each statement that puts something into `Pool.entries` has a mark of its own (`mark_7`). The layout is what people and
tools do to files: tabs, CRLF and lone CR, a byte order mark, form feeds, odd separators in comments and strings,
statements over several lines, decorators, macros, templates, lambdas, raw strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True, slots=True)
class Grown:
    """A source, and each mark with the function around it and the first and last line of its statement."""

    data: bytes
    marks: dict[str, tuple[str, int, int]]


Piece = tuple[tuple[str, ...], int, int]  # lines, which of them are the statement (0-based, closed)

_PY: Sequence[Piece] = [
    (("self.entries[@()] = 1",), 0, 0),
    (("self.entries[", "    @()", "] = (1,", "  2)"), 0, 3),
    (("self.entries.update({", "  'a': @(),", "})"), 0, 2),
    (("self.entries[@()] = \\", "    2"), 0, 1),
    (("self.entries[@()] = '''a", " b # no", "'''"), 0, 2),
    (("self.entries[@()] = f'{self.x!r:>{8}} {{}}' f'é'",), 0, 0),
    (("self.entries[@()] = f'''{self.x}", "", "{self.y(", "1)}'''"), 0, 3),
    (("x = 1; self.entries[@()] = 2; y = 3  # ж",), 0, 0),
    (("self.entries[@()] = [lambda k: k for _ in ()]",), 0, 0),
    (("with self.lock: self.entries[@()] = 1",), 0, 0),
    (("with (", "    self.lock,", "    self.other as o,", "):", "    self.entries[@()] = o"), 4, 4),
    (("try:", "    self.entries[@()] = 1", "except (ValueError,", "        KeyError): raise"), 1, 1),
    (("try:", "    pass", "finally:", "    self.entries[@()] = 1"), 3, 3),
    (("if self.x:", "    pass", "elif (self.y", "      and self.z):", "    self.entries[@()] = 1"), 4, 4),
    (("match self.x:", "    case [1, *_] if self.y:", "        self.entries[@()] = 1"), 2, 2),
    (("for _ in (1,", "          2):", "    self.entries.setdefault(", "        @(), 0)"), 2, 3),
    (("async_ = 1", "self.entries[@()], other = 1, 2"), 1, 1),
]
_PY_NOISE = [
    "# self.entries[0] = 1", "text = 'self.entries[0] = 1'", "", "\x0c", "# \u2028 \x85 \x1c \u202e", "pass",
    "s = '''", '""" self.entries[0] = 1 """', "größe = ﬁeld = 1", "t = 'a\u2029b\x1db'",
    "x = 1 \\\n        + 2", "   # far",
]  # fmt: skip
_PY_HEADS = [
    ("def @f(self):",), ("async def @f(self, *, k: int = 1) -> None:",),
    ("def @f(", "    self,", "    k=(1,", "       2),", "):"),
    ("@wraps(", "    'x',", ")", "@other", "def @f(self):"), ("@property", "# why", "def @f(self):"),
]  # fmt: skip
_CPP: Sequence[Piece] = [
    (("entries[@()] = 1;",), 0, 0),
    (("entries[", "    @()", "] = {1,", "  2};"), 0, 3),
    (("this->entries.emplace(@(), 2);  // ж",), 0, 0),
    (("int x = 1; entries[@()] = 2; int y = 3;",), 0, 0),
    (('entries[@()] = size(R"(a', ' " // no', ')");'), 0, 2),
    (("if (x) entries[@()] = 1;",), 0, 0),
    (("for (int i = 0; i < 2;", "     ++i) {", "  entries[@()] = i;", "}"), 2, 2),
    (("#if defined(A) && \\", "    defined(B)", "entries[@()] = 1;", "#endif"), 2, 2),
    (("try {", "  entries.insert({@(), 1});", "} catch (const E& e) {", "}"), 1, 1),
    (("switch (x) {", "  case 1: {", "    entries[@()] = 1;", "    break;", "  }", "}"), 2, 2),
    (("entries[@()] = [](int k) { return k; }(", "    3);"), 0, 1),
    (("do {", "  entries.try_emplace(@(), 1);", "} while (false);"), 1, 1),
]
_CPP_NOISE = [
    "// entries[0] = 1;", 'auto text = "entries[0] = 1;";', "", "\x0c", "/* \u2028 \x85", "   entries[0] = 1; */", ";",
    'const char* r = R"x(', "#define TWICE(a) \\\n    (a) + \\\n    (a)", "// \u202e é \x1c", "int v = TWICE(2);",
]  # fmt: skip
_CPP_HEADS = [
    ("void @f() {",), ("template <typename T,", "          typename U = int>", "T @f(", "    const T& t) {"),
    ("[[nodiscard]] int @f(int x) const noexcept {",), ("static inline auto @f(int x)", "    -> int {"),
    ("bool @f() override", "{"),
]  # fmt: skip
_WHOLE = {"s = '''": "'''", 'const char* r = R"x(': ')x";', "/* \u2028 \x85": ""}  # what must follow on a later line


def _noise(draw: st.DrawFn, choices: Sequence[str], indent: str) -> list[str]:
    out: list[str] = []
    for piece in draw(st.lists(st.sampled_from(choices), max_size=3)):
        if piece == "   entries[0] = 1; */":
            continue  # only behind its beginning
        out += [line if line in ("", "\x0c") else indent + line for line in piece.split("\n")]
        if piece in _WHOLE:
            out.append(f"{_WHOLE[piece]}" if _WHOLE[piece] else "   entries[0] = 1; */")
    return out


def _grow(
    draw: st.DrawFn, pieces: Sequence[Piece], noise: Sequence[str], heads: Sequence[tuple[str, ...]],
    frame: tuple[str, ...], tail: Sequence[str], close: str,
) -> Grown:  # fmt: skip
    lines, step = [*frame], "    "
    marks: dict[str, tuple[str, int, int]] = {}
    for f in range(draw(st.integers(1, 3))):
        lines += [*_noise(draw, [n for n in noise if n.startswith(("# ", "//", "\x0c"))], step), ""]
        name = f"f{f}"
        lines += [step + part.replace("@f", name) for part in draw(st.sampled_from(heads))]
        for _ in range(draw(st.integers(1, 3))):
            lines += _noise(draw, noise, step * 2)
            of, first, last = draw(st.sampled_from(pieces))
            mark = f"mark_{len(marks)}"
            marks[mark] = (name, len(lines) + first + 1, len(lines) + last + 1)
            lines += [part if part.startswith("#") else step * 2 + part.replace("@", mark) for part in of]
        lines += [step + close] if close else []
    if draw(st.booleans()):
        lines = [_tabs(line) for line in lines]
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    text = end.join([*lines, *tail]) + draw(st.sampled_from([end, ""]))
    return Grown(draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + text.encode(), marks)


def _tabs(line: str) -> str:
    bare = line.lstrip(" ")
    return "\t" * ((len(line) - len(bare)) // 4) + bare if not (len(line) - len(bare)) % 4 else line


@st.composite
def python_sources(draw: st.DrawFn) -> Grown:
    """A class `Pool` whose methods fill `entries`."""
    said = ('"""What', "it is \u2028.", '"""')
    begin = draw(st.sampled_from([(), ("\x0c",), said, ("# -*- coding: utf-8 -*-", "\x0c# \x85")]))
    frame = (*begin, "class Pool:", "    def __init__(self):", "        self.entries = {}")
    return _grow(draw, _PY, _PY_NOISE, _PY_HEADS, frame, (), "")


@st.composite
def cpp_sources(draw: st.DrawFn) -> Grown:
    """The same in C++."""
    begin = draw(st.sampled_from([(), ("/*", " * \u2028", " */"), ("#pragma once",)]))
    frame = (*begin, "#include <map>", "struct Pool : Base {", "  std::map<int, int> entries;")
    return _grow(draw, _CPP, _CPP_NOISE, _CPP_HEADS, frame, ("};",), "}")
