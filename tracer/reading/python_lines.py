"""Python's lines under a syntax tree: what `ast` leaves out, which is texts, comments, colons and parentheses.

Takes the lines of a span and places in them as `ast` counts. Refuses to know statements.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from tracer.reading.statements import collapse


class Place(NamedTuple):
    """A place in the lines: line from 1, column in bytes of UTF-8, as `ast` counts."""

    line: int
    column: int


class Above(NamedTuple):
    """What stands before a statement: comments at or above line `floor`, or that start with `footer`, are not its own.

    `footer` is the indentation of the block that ended there: comments as deep as it are the end of that block.
    """

    floor: int
    footer: str = ""


def without_comments(text: str) -> str:
    """`text` with its `#` comments removed; strings keep theirs."""
    if "#" not in text or "\n" not in text:
        return text
    out: list[str] = []
    at, quote = 0, ""
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                out.append(text[at : at + 2])
                at += 2
                continue
            if text.startswith(quote, at):
                out.append(quote)
                at += len(quote)
                quote = ""
                continue
        elif char in "\"'":
            quote = char * 3 if text.startswith(char * 3, at) else char
            out.append(quote)
            at += len(quote)
            continue
        elif char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        out.append(char)
        at += 1
    return "".join(out)


class Lines:
    """The lines of a span; numbers are from 1."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    def colon(self, place: Place, word: str = "") -> Place:
        """The place of the first colon from `place` on (behind `word`) that is not in a comment."""
        line, text = place.line, self.behind(place)
        while True:
            code = text.partition("#")[0]
            if word and word in code:
                code, word = " " * (code.index(word) + len(word)) + code.partition(word)[2], ""
            if not word and ":" in code:
                column = len(self.lines[line - 1]) - len(text) + code.index(":")
                return Place(line, len(self.lines[line - 1][:column].encode()))
            line += 1
            text = self.lines[line - 1]

    def comments_above(self, line: int, above: Above) -> tuple[str, ...]:
        """The run of comment lines that touches `line` from above."""
        run: list[str] = []
        for at in range(line - 1, above.floor, -1):
            text = self.lines[at - 1]
            if not text.lstrip().startswith("#") or (above.footer and text.startswith(above.footer)):
                break
            run.append(text.lstrip())
        return tuple(reversed(run))

    def comment_behind(self, end: Place) -> tuple[str, ...]:
        """The comment behind a simple statement."""
        rest = self.behind(end).lstrip(" \t\f;")
        return (rest,) if rest.startswith("#") else ()

    def indent(self, body: Sequence[ast.stmt]) -> str:
        """The indentation of a block; "" of one on the line of its head."""
        text = self.lines[body[0].lineno - 1]
        before = text[: len(text) - len(text.lstrip())]
        return before if len(before) == body[0].col_offset else ""

    def item(self, item: ast.withitem, alone: bool) -> str:
        """One item of a `with`; the parentheses around all items are not its own."""
        if item.optional_vars is not None:
            return f"{self._enclosed(item.context_expr)} as {self._enclosed(item.optional_vars)}"
        around = alone and self.behind(end_of(item.context_expr)).lstrip(" \t)").startswith(":")
        return self._enclosed(item.context_expr, around)

    def _enclosed(self, node: ast.expr, less: int = 0) -> str:
        """The node's text with the parentheses around it, `less` of them left out."""
        pairs = min(_run(reversed(self.before(start_of(node))), "("), _run(self.behind(end_of(node)), ")")) - less
        text = self.text(start_of(node), end_of(node))
        return f"{'(' * pairs}{text}{')' * pairs}"

    def code(self, node: ast.expr | ast.pattern) -> str:
        """The node's text on one line, without comments and without parentheses around all of it but a tuple's."""
        text = self.text(start_of(node), end_of(node))
        around = isinstance(node, ast.GeneratorExp) or (isinstance(node, ast.MatchSequence) and _in_parentheses(text))
        return text[1:-1].strip() if around else text

    def text(self, start: Place, end: Place) -> str:
        """The text between two places, on one line and without comments."""
        if start.line == end.line:
            return collapse(_bytes(self.lines[start.line - 1], start.column, end.column))
        parts = [self.behind(start), *self.lines[start.line : end.line - 1], self.before(end)]
        return collapse(without_comments("\n".join(parts)))

    def behind(self, place: Place) -> str:
        """What stands in the place's line from it on."""
        return _bytes(self.lines[place.line - 1], place.column, None)

    def before(self, place: Place) -> str:
        """What stands in the place's line up to it."""
        return _bytes(self.lines[place.line - 1], 0, place.column)


def _bytes(text: str, start: int, end: int | None) -> str:
    return text[start:end] if text.isascii() else text.encode()[start:end].decode()


def start_of(node: ast.stmt | ast.expr | ast.pattern | ast.ExceptHandler) -> Place:
    """Where a node starts."""
    return Place(node.lineno, node.col_offset)


def end_of(node: ast.AST) -> Place:
    """Where a node ends."""
    return Place(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]  # all that is asked have them


def _run(text: Iterable[str], char: str) -> int:
    """How often `char` comes before anything else but blanks."""
    return sum(1 for _ in takewhile(char.__eq__, (c for c in text if not c.isspace())))


def _in_parentheses(text: str) -> bool:
    """Whether the first character opens what the last one closes."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at > 0 and at == len(text) - 1
    return False
