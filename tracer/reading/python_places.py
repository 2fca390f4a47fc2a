"""Where each node of a LibCST tree stands: line and column, as `PositionProvider` tells them, in a quarter of its time.

Takes a parsed module. Makes a dictionary of its nodes. Refuses to know statements.

LibCST knows places only by writing the code out again. Its provider does that behind a visit of the whole tree, with an
object for each place; this writes nothing and keeps pairs of numbers. `tests/unit/reading` holds the two equal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst


class Place(NamedTuple):
    """Line from 1, column from 0."""

    line: int
    column: int


class Range(NamedTuple):
    """From the first character of a node to the one behind its last."""

    start: Place
    end: Place


def places(module: cst.Module) -> dict[cst.CSTNode, Range]:
    """Node -> where it stands, without the blanks around it, for every node below `module`."""
    found = _Places(module)
    module._codegen(found)  # type: ignore[arg-type]  # what a CodegenState is asked for, and nothing else
    return found.places


class _Places:
    """What LibCST writes code to: it counts lines and columns, and keeps none of the text."""

    def __init__(self, module: cst.Module) -> None:
        self.default_indent, self.default_newline = module.default_indent, module.default_newline
        self.tokens: tuple[str, ...] = ()  # asked for at the end of a module: whether anything was written
        self.places: dict[cst.CSTNode, Range] = {}
        self._indents: list[str] = []
        self._line, self._column = 1, 0
        self._open: list[Place] = []

    def here(self) -> Place:
        return Place(self._line, self._column)

    def increase_indent(self, value: str) -> None:
        self._indents.append(value)

    def decrease_indent(self) -> None:
        self._indents.pop()

    def add_indent_tokens(self) -> None:
        self._column += sum(map(len, self._indents))

    def add_token(self, value: str) -> None:
        ends = value.count("\n")
        if ends:
            self._line += ends
            self._column = len(value) - value.rindex("\n") - 1
        else:
            self._column += len(value)

    def pop_trailing_newline(self) -> None:
        """A module's last line end is no place of any node."""

    def before_codegen(self, _: cst.CSTNode) -> None:
        self._open.append(self.here())

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._open.pop()
        if node not in self.places:  # else a `_Recorded` has told it without its blanks
            self.places[node] = Range(start, self.here())

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> _Recorded:
        return _Recorded(self, node, start_node, end_node)


class _Recorded:
    """The part of a node's code that is the node itself; it may start or end with a child."""

    __slots__ = ("_end", "_node", "_places", "_start", "_starts")

    def __init__(
        self, places: _Places, node: cst.CSTNode, start: cst.CSTNode | None, end: cst.CSTNode | None
    ) -> None:
        self._places, self._node, self._start, self._end = places, node, start, end

    def __enter__(self) -> None:
        self._starts = self._places.here()

    def __exit__(self, *_: Any) -> None:
        known = self._places.places
        start = self._starts if self._start is None else known[self._start].start
        end = self._places.here() if self._end is None else known[self._end].end
        known[self._node] = Range(start, end)
