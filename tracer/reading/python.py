"""One Python function, read exactly, with LibCST.

Takes the lines of a file and the span of one function, class or run of statements. Makes its `Reading`. Refuses to
read more than that span (LibCST parses some 0.4 MB/s), to resolve names, and to follow control flow.

The span is parsed where it stands: an indented one gets an `if True:` line above it rather than being dedented,
so multi-line strings stay what they are and positions differ from the file's by a number of lines only.
A lambda belongs to the statement that holds it; a nested `def` is a statement with its own block.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence

import libcst as cst

from tracer.errors import SourceParseError
from tracer.reading.python_places import Places, Range, places
from tracer.reading.statements import Block, Reading, Statement, collapse, has_call

_KINDS: dict[type[cst.CSTNode], str] = {
    cst.Return: "return", cst.Raise: "raise", cst.Break: "break", cst.Continue: "continue",
}
_Leading = Sequence[cst.EmptyLine]
_LONG = 4_000  # characters; what is shorter cannot nest too deeply
_CHAIN = 400  # operands of one `and`; LibCST recurses once for each


def read_python(lines: Sequence[str], first: int, last: int, symbol: str) -> Reading:
    """Read lines `first`..`last` (decorators included) of the file whose lines are `lines`.

    Raises `SourceParseError` where neither they nor the definition that `ast` finds there can be parsed.
    """
    try:
        return _read(lines, first, last, symbol)
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError) as failure:
        span = _definition_at(lines, first)
        if span is not None and span != (first, last):
            try:
                return _read(lines, *span, symbol)
            except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError):
                pass
        said = failure.message if isinstance(failure, cst.ParserSyntaxError) else str(failure)  # of `return*x`
        why = "nested too deeply" if isinstance(failure, RecursionError) else said.partition("\n")[0]
        raise SourceParseError(
            f"lines {first}-{last} cannot be read as Python ({collapse(why)})", where=symbol, todo="check the file"
        ) from None


def _read(lines: Sequence[str], first: int, last: int, symbol: str) -> Reading:
    chosen = list(lines[first - 1 : last])
    start = next((text for text in chosen if text.strip() and not text.lstrip().startswith("#")), "")
    wrapped = start[:1].isspace()
    if wrapped:
        chosen.insert(0, "if True:")
    text = "\n".join(chosen) + "\n"
    if len(text) > _LONG and _chained(text):
        raise RecursionError
    module = cst.parse_module(text)
    build = _Builder(module, places(module), chosen, first - 1 - wrapped)
    body: Sequence[cst.CSTNode] = module.body
    if wrapped and isinstance(module.body[0], cst.If):
        body = module.body[0].body.body
    if len(body) == 1 and isinstance(body[0], cst.FunctionDef | cst.ClassDef):
        head = build.definition(body[0])
        return Reading(symbol, head.first, max(head.last, min(last, len(lines))), head.blocks[0], "python", head)
    return Reading(symbol, first, last, Block("body", "", build.statements(body)), "python")


def _chained(text: str) -> bool:
    """Whether `text` nests deeper than LibCST's own recursion bears, which ends the process instead of raising.

    `ast` bounds every other nesting; it keeps `a and b and …` flat, where LibCST nests it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:  # brackets or blocks in more than a hundred levels are told by these words
        return "too many" in str(error)
    except (ValueError, MemoryError):
        return True
    if text.count("and") + text.count("or") < _CHAIN:
        return False
    return any(isinstance(node, ast.BoolOp) and len(node.values) > _CHAIN for node in ast.walk(tree))


def _definition_at(lines: Sequence[str], first: int) -> tuple[int, int] | None:
    """The span of the innermost definition that holds line `first`, decorators included."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse("\n".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    best: tuple[int, int] | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            end = node.end_lineno or start
            if start <= first <= end and (best is None or start >= best[0]):
                best = (start, end)
    return best


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


class _Builder:
    """Turns LibCST statements into ours; `shift` is added to every line."""

    def __init__(
        self, module: cst.Module, positions: Places, lines: Sequence[str], shift: int
    ) -> None:
        self.module, self.positions, self.lines, self.shift = module, positions, lines, shift

    def statements(self, body: Sequence[cst.CSTNode]) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for node in body:
            if isinstance(node, cst.SimpleStatementLine):
                out += self._line(node.body, node.leading_lines, node.trailing_whitespace)
            elif isinstance(node, cst.BaseSmallStatement):
                out += self._line([node], (), None)
            else:
                out.append(self._compound(node))
        return tuple(out)

    def _line(
        self, small: Sequence[cst.BaseSmallStatement], above: _Leading, end: cst.TrailingWhitespace | None
    ) -> list[Statement]:
        out: list[Statement] = []
        for at, node in enumerate(small):
            where = self.positions[node]
            kind = _KINDS.get(type(node), "simple")
            if isinstance(node, cst.Expr | cst.Assign) and isinstance(node.value, cst.Yield):
                kind = "yield"
            text = self._text(where)
            comments = _comments(above if at == 0 else (), end if at == len(small) - 1 else None)
            out.append(Statement(kind, where.start.line + self.shift, where.end.line + self.shift, text,
                                 comments=comments, calls=has_call(text)))
        return out

    def definition(self, node: cst.FunctionDef | cst.ClassDef) -> Statement:
        """A function or class; its decorators are part of its head."""
        where = self.positions[node]
        first = min([where.start.line, *(self.positions[d].start.line for d in node.decorators)])
        head = self.positions[self._edge(node.body)]
        text = self._text(Range(where.start, head.start))
        kind = "class" if isinstance(node, cst.ClassDef) else "def"
        above = [*node.leading_lines, *node.lines_after_decorators]
        return Statement(kind, first + self.shift, where.end.line + self.shift, text.rstrip(": "),
                         (self._block("body", "", node.body),), _comments(above, self._trailing(node.body)),
                         head.start.line + self.shift, bool(node.decorators))

    def _compound(self, node: cst.CSTNode) -> Statement:
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            return self.definition(node)
        if isinstance(node, cst.If):
            return self._if(node)
        if isinstance(node, cst.While):
            test = self._code(node.test)
            blocks = [self._block("body", test, node.body), *self._else(node.orelse)]
            return self._headed(node, "while", f"while {test}", blocks, node.body)
        if isinstance(node, cst.For):
            test = f"{self._code(node.target)} in {self._code(node.iter)}"
            blocks = [self._block("body", test, node.body), *self._else(node.orelse)]
            return self._headed(node, "for", f"{_async(node)}for {test}", blocks, node.body)
        if isinstance(node, cst.With):
            test = ", ".join(self._code(item).rstrip(", ") for item in node.items)
            return self._headed(node, "with", f"{_async(node)}with {test}", [self._block("body", test, node.body)],
                                node.body)
        if isinstance(node, cst.Try | cst.TryStar):
            blocks = [self._block("body", "", node.body), *map(self._handler, node.handlers), *self._else(node.orelse)]
            if node.finalbody is not None:
                blocks.append(self._block("finally", "", node.finalbody.body))
            return self._headed(node, "try", "try", blocks, node.body)
        if isinstance(node, cst.Match):
            return self._match(node)
        where = self.positions[node]  # a statement that a later LibCST may bring
        return Statement("simple", where.start.line + self.shift, where.end.line + self.shift, self._text(where))

    def _if(self, node: cst.If) -> Statement:
        # An elif chain is folded from its end: long ones must not recurse.
        chain = [node]
        while isinstance(chain[-1].orelse, cst.If):
            chain.append(chain[-1].orelse)
        made: Statement | None = None
        for at in range(len(chain) - 1, -1, -1):
            part = chain[at]
            test = self._code(part.test)
            other = [Block("else", "", (made,))] if made is not None else self._else(part.orelse)
            made = self._headed(part, "if", f"{'elif' if at else 'if'} {test}",
                                [self._block("body", test, part.body), *other], part.body)
        assert made is not None
        return made

    def _match(self, node: cst.Match) -> Statement:
        blocks: list[Block] = []
        for case in node.cases:
            test = self._code(case.pattern) + (f" if {self._code(case.guard)}" if case.guard is not None else "")
            blocks.append(self._block("case", test, case.body, self._marker("case", f"case {test}", case, case.body)))
        subject = self._code(node.subject)
        where = self.positions[node]
        # The colon's line: LibCST gives a match no block of its own, its subject ends next to it.
        head = self.positions[node.subject].end.line + self.shift
        last = max([where.end.line + self.shift, *(s.last for b in blocks for s in b.statements)])
        return Statement("match", where.start.line + self.shift, last, f"match {subject}", tuple(blocks),
                         _comments(node.leading_lines, None), head, has_call(subject))

    def _handler(self, node: cst.ExceptHandler | cst.ExceptStarHandler) -> Block:
        test = self._code(node.type) if node.type is not None else ""
        if node.name is not None:
            test += f" as {self._code(node.name.name)}"
        head = collapse(f"except{'*' if isinstance(node, cst.ExceptStarHandler) else ''} {test}")
        return self._block("except", test, node.body, self._marker("except", head, node, node.body))

    def _marker(self, kind: str, text: str, node: cst.CSTNode, body: cst.BaseSuite) -> Statement:
        first = self.positions[node].start.line + self.shift
        last = self.positions[self._edge(body)].start.line + self.shift
        above: _Leading = getattr(node, "leading_lines", ())
        return Statement(kind, first, last, text, comments=_comments(above, self._trailing(body)))

    def _headed(
        self, node: cst.If | cst.While | cst.For | cst.With | cst.Try | cst.TryStar, kind: str, text: str,
        blocks: Sequence[Block], body: cst.BaseSuite,
    ) -> Statement:
        where = self.positions[node]
        head = self.positions[self._edge(body)].start.line + self.shift
        return Statement(kind, where.start.line + self.shift, where.end.line + self.shift, text, tuple(blocks),
                         _comments(node.leading_lines, self._trailing(body)), head, has_call(text))

    def _else(self, node: cst.If | cst.Else | None) -> list[Block]:
        return [self._block("else", "", node.body)] if isinstance(node, cst.Else) else []

    def _block(self, label: str, test: str, body: cst.BaseSuite, marker: Statement | None = None) -> Block:
        inner = self.statements(body.body)
        return Block(label, test, (marker, *inner) if marker is not None else inner)

    @staticmethod
    def _edge(body: cst.BaseSuite) -> cst.CSTNode:
        """The node that stands right behind the head's colon."""
        return body.leading_whitespace if isinstance(body, cst.SimpleStatementSuite) else body.header  # type: ignore[attr-defined]

    @staticmethod
    def _trailing(body: cst.BaseSuite) -> cst.TrailingWhitespace | None:
        return body.header if isinstance(body, cst.IndentedBlock) else None

    def _code(self, node: cst.CSTNode) -> str:
        """The node's text on one line, without comments and without parentheses around all of it."""
        where = self.positions[node]
        if isinstance(node, cst.Tuple) and node.lpar:
            return collapse(without_comments(self.module.code_for_node(node)))
        return self._text(where)

    def _text(self, where: Range) -> str:
        (top, left), (bottom, right) = (where.start.line, where.start.column), (where.end.line, where.end.column)
        if top == bottom:
            return collapse(self.lines[top - 1][left:right])
        parts = [self.lines[top - 1][left:], *self.lines[top : bottom - 1], self.lines[bottom - 1][:right]]
        return collapse(without_comments("\n".join(parts)))


def _async(node: cst.For | cst.With) -> str:
    return "async " if node.asynchronous is not None else ""


def _comments(above: _Leading, end: cst.TrailingWhitespace | None) -> tuple[str, ...]:
    """The run of comment lines that touches the statement, and the comment at its end."""
    run: list[str] = []
    for line in reversed(above):
        if line.comment is None:
            break
        run.append(line.comment.value)
    run.reverse()
    if end is not None and end.comment is not None:
        run.append(end.comment.value)
    return tuple(run)
