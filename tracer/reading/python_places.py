"""Where each node of a LibCST tree stands: line and column, as `PositionProvider` tells them, in a quarter of its time.

Takes a parsed module. Makes a dictionary of its nodes. Refuses to know statements.

LibCST knows places only by writing the code out again. Its provider does that behind a visit of the whole tree, with an
object for each place; this writes nothing and keeps pairs of numbers. `tests/unit/reading` holds the two equal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

_Pair = tuple[int, int]


class Place(NamedTuple):
    """Line from 1, column from 0."""

    line: int
    column: int


class Range(NamedTuple):
    """From the first character of a node to the one behind its last."""

    start: Place
    end: Place


def places(module: cst.Module) -> Places:
    """Where every node below `module` stands, without the blanks around it."""
    found = _Counter(module)
    module._codegen(found)  # type: ignore[arg-type]  # what a CodegenState is asked for, and nothing else
    return Places(found.places)


class Places:
    """Node → where it stands; its module must be kept as long."""

    def __init__(self, places: dict[int, tuple[_Pair, _Pair]]) -> None:
        self._places = places

    def __getitem__(self, node: cst.CSTNode) -> Range:
        start, end = self._places[id(node)]
        return Range(Place(*start), Place(*end))


class _Counter:
    """What LibCST writes code to: it counts lines and columns, and keeps none of the text.

    It is asked for many times as many places as readings use, so it keeps bare pairs, by a node's `id`.
    """

    def __init__(self, module: cst.Module) -> None:
        self.default_indent, self.default_newline = module.default_indent, module.default_newline
        self.tokens: tuple[str, ...] = ()  # asked for at the end of a module: whether anything was written
        self.places: dict[int, tuple[_Pair, _Pair]] = {}
        self.line, self.column = 1, 0
        self._indents: list[str] = []
        self._open: list[_Pair] = []

    def increase_indent(self, value: str) -> None:
        self._indents.append(value)

    def decrease_indent(self) -> None:
        self._indents.pop()

    def add_indent_tokens(self) -> None:
        self.column += sum(map(len, self._indents))

    def add_token(self, value: str) -> None:
        if "\n" in value:
            self.line += value.count("\n")
            self.column = len(value) - value.rindex("\n") - 1
        else:
            self.column += len(value)

    def pop_trailing_newline(self) -> None:
        """A module's last line end is no place of any node."""

    def before_codegen(self, _: cst.CSTNode) -> None:
        self._open.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start, key = self._open.pop(), id(node)
        if key not in self.places:  # else a `_Recorded` has told it without its blanks
            self.places[key] = start, (self.line, self.column)

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> _Recorded:
        return _Recorded(self, node, start_node, end_node)


class _Recorded:
    """The part of a node's code that is the node itself; it may start or end with a child."""

    __slots__ = ("_counter", "_end", "_node", "_start", "_starts")

    def __init__(
        self, counter: _Counter, node: cst.CSTNode, start: cst.CSTNode | None, end: cst.CSTNode | None
    ) -> None:
        self._counter, self._node, self._start, self._end = counter, node, start, end

    def __enter__(self) -> None:
        self._starts = self._counter.line, self._counter.column

    def __exit__(self, *_: Any) -> None:
        counter = self._counter
        known = counter.places
        start = self._starts if self._start is None else known[id(self._start)][0]
        end = (counter.line, counter.column) if self._end is None else known[id(self._end)][1]
        known[id(self._node)] = start, end
