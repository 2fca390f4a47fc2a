"""One Python function, read exactly, with `ast` for its shape and the lines themselves for text and comments.

Takes the lines of a file and the span of one function, class or run of statements. Makes its `Reading`. Refuses to
read more than that span, to resolve names, and to follow control flow.

The span is parsed where it stands: an indented one gets an `if True:` line above it rather than being dedented,
so multi-line strings stay what they are and positions differ from the file's by a number of lines only.
A lambda belongs to the statement that holds it; a nested `def` is a statement with its own block.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence

from tracer.errors import SourceParseError
from tracer.reading.python_lines import Above, Lines, Place, end_of, start_of
from tracer.reading.statements import Block, Reading, Statement, collapse, has_call

_KINDS: dict[type[ast.stmt], str] = {
    ast.Return: "return", ast.Raise: "raise", ast.Break: "break", ast.Continue: "continue",
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Try = ast.Try | ast.TryStar
_COMPOUND = (_Function | ast.ClassDef | ast.If | ast.While | ast.For | ast.AsyncFor | ast.With | ast.AsyncWith | _Try
             | ast.Match)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def read_python(lines: Sequence[str], first: int, last: int, symbol: str) -> Reading:
    """Read lines `first`..`last` (decorators included) of the file whose lines are `lines`.

    Raises `SourceParseError` where neither they nor the definition that `ast` finds there can be parsed.
    """
    try:
        return _read(lines, first, last, symbol)
    except _UNREADABLE as failure:
        span = _definition_at(lines, first)
        if span is not None and span != (first, last):
            try:
                return _read(lines, *span, symbol)
            except _UNREADABLE:
                pass
        deep = isinstance(failure, RecursionError | MemoryError)
        why = "nested too deeply" if deep else failure.msg if isinstance(failure, SyntaxError) else str(failure)
        raise SourceParseError(
            f"lines {first}-{last} cannot be read as Python ({collapse(why)})", where=symbol, todo="check the file"
        ) from None


def _read(lines: Sequence[str], first: int, last: int, symbol: str) -> Reading:
    chosen = list(lines[first - 1 : last])
    start = next((text for text in chosen if text.strip() and not text.lstrip().startswith("#")), "")
    wrapped = start[:1].isspace()
    if wrapped:
        chosen.insert(0, "if True:")
    body = _parsed(chosen).body
    build = _Builder(chosen, first - 1 - wrapped)
    above = Above(len(chosen))  # the comments at the top of a run are about all of it
    if wrapped and isinstance(body[0], ast.If):
        body, above = body[0].body, Above(1)
    if len(body) == 1 and isinstance(body[0], _Definition):
        head = build.definition(body[0], above)
        return Reading(symbol, head.first, max(head.last, min(last, len(lines))), head.blocks[0], "python", head)
    return Reading(symbol, first, last, Block("body", "", build.statements(body, above)), "python")


def _parsed(lines: Sequence[str]) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse("\n".join(lines) + "\n")


def _definition_at(lines: Sequence[str], first: int) -> tuple[int, int] | None:
    """The span of the innermost definition that holds line `first`, decorators included."""
    try:
        tree = _parsed(lines)
    except _UNREADABLE:
        return None
    best: tuple[int, int] | None = None
    for node in ast.walk(tree):
        if isinstance(node, _Definition):
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            end = node.end_lineno or start
            if start <= first <= end and (best is None or start >= best[0]):
                best = (start, end)
    return best


class _Builder(Lines):
    """Turns statements of `ast` into ours; `shift` is added to every line."""

    def __init__(self, lines: Sequence[str], shift: int) -> None:
        super().__init__(lines)
        self.shift = shift

    def statements(self, body: Sequence[ast.stmt], above: Above, *, suite: bool = False) -> tuple[Statement, ...]:
        """A block; `suite`: on the line of its head, where comments belong to nobody."""
        out: list[Statement] = []
        for at, node in enumerate(body):
            if isinstance(node, _COMPOUND):
                out.append(self._compound(node, above))
                above = Above(end_of(node).line, self._footer(node))
                continue
            here = end_of(node).line
            opens = at == 0 or above.floor < node.lineno or isinstance(body[at - 1], _COMPOUND)
            closes = at + 1 == len(body) or body[at + 1].lineno > here
            before = self.comments_above(node.lineno, above) if opens and not suite else ()
            behind = self.comment_behind(end_of(node)) if closes and not suite else ()
            out.append(self._simple(node, (*before, *behind)))
            above = Above(here)
        return tuple(out)

    def _simple(self, node: ast.stmt, comments: tuple[str, ...]) -> Statement:
        kind = _KINDS.get(type(node), "simple")
        if isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Yield | ast.YieldFrom):
            kind = "yield"
        text = self.text(start_of(node), end_of(node))
        return Statement(kind, node.lineno + self.shift, end_of(node).line + self.shift, text,
                         comments=comments, calls=has_call(text))

    def definition(self, node: _Definition, above: Above) -> Statement:
        """A function or class; its decorators are part of its head."""
        decorators = node.decorator_list
        first = min([node.lineno, *(d.lineno for d in decorators)])
        comments = self.comments_above(first, above)
        if decorators:
            behind = end_of(decorators[-1]).line
            between = self.comments_above(node.lineno, Above(behind))
            comments = (*comments, *between) if len(between) == node.lineno - behind - 1 else between
        parts: list[ast.AST | None] = [*getattr(node, "type_params", ())]
        if isinstance(node, ast.ClassDef):
            parts += [*node.bases, *node.keywords]
        else:
            given = node.args
            parts += [*given.posonlyargs, *given.args, *given.kwonlyargs, *given.defaults, *given.kw_defaults,
                      given.vararg, given.kwarg, node.returns]
        colon = self.colon(max([start_of(node), *(end_of(part) for part in parts if part is not None)]))
        text = self.text(start_of(node), colon)
        kind = "class" if isinstance(node, ast.ClassDef) else "def"
        block, end = self._block("body", "", node.body, colon)
        return Statement(kind, first + self.shift, end_of(node).line + self.shift, text.rstrip(": "), (block,),
                         (*comments, *end), colon.line + self.shift, bool(decorators))

    def _compound(self, node: ast.stmt, above: Above) -> Statement:
        if isinstance(node, _Definition):
            return self.definition(node, above)
        if isinstance(node, ast.If):
            return self._if(node, above)
        if isinstance(node, ast.While):
            test = self.code(node.test)
            return self._loop(node, "while", f"while {test}", test, end_of(node.test), above)
        if isinstance(node, ast.For | ast.AsyncFor):
            test = f"{self.code(node.target)} in {self.code(node.iter)}"
            text = f"{'async ' if isinstance(node, ast.AsyncFor) else ''}for {test}"
            return self._loop(node, "for", text, test, end_of(node.iter), above)
        if isinstance(node, ast.With | ast.AsyncWith):
            test = ", ".join(self.item(item, len(node.items) == 1).rstrip(", ") for item in node.items)
            text = f"{'async ' if isinstance(node, ast.AsyncWith) else ''}with {test}"
            held = node.items[-1]
            colon = self.colon(end_of(held.optional_vars or held.context_expr))
            block, end = self._block("body", test, node.body, colon)
            return self._headed(node, "with", text, [block], colon, (*self.comments_above(node.lineno, above), *end))
        if isinstance(node, _Try):
            return self._try(node, above)
        assert isinstance(node, ast.Match)
        return self._match(node, above)

    def _loop(
        self, node: ast.While | ast.For | ast.AsyncFor, kind: str, text: str, test: str, last: Place, above: Above
    ) -> Statement:
        colon = self.colon(last)
        block, end = self._block("body", test, node.body, colon)
        comments = (*self.comments_above(node.lineno, above), *end)
        return self._headed(node, kind, text, [block, *self._else(node.body, node.orelse)], colon, comments)

    def _if(self, node: ast.If, above: Above) -> Statement:
        # An elif chain is folded from its end: long ones must not recurse.
        chain = [node]
        while self._is_elif(rest := chain[-1].orelse):
            chain.append(rest[0])  # type: ignore[arg-type]  # an `elif` is an If
        made: Statement | None = None
        for at in range(len(chain) - 1, -1, -1):
            part = chain[at]
            test = self.code(part.test)
            colon = self.colon(end_of(part.test))
            block, end = self._block("body", test, part.body, colon)
            other = [Block("else", "", (made,))] if made is not None else self._else(part.body, part.orelse)
            before = self._behind_block(chain[at - 1].body) if at else above
            made = self._headed(part, "if", f"{'elif' if at else 'if'} {test}", [block, *other], colon,
                                (*self.comments_above(part.lineno, before), *end))
        assert made is not None
        return made

    def _try(self, node: _Try, above: Above) -> Statement:
        colon = self.colon(start_of(node))
        body, end = self._block("body", "", node.body, colon)
        blocks, before = [body], node.body
        for handler in node.handlers:
            test = self.code(handler.type) if handler.type is not None else ""
            behind = self.colon(end_of(handler.type) if handler.type is not None else start_of(handler))
            if handler.name is not None:
                test += f" as {handler.name}"
            text = collapse(f"except{'*' if isinstance(node, ast.TryStar) else ''} {test}")
            blocks.append(self._marked("except", test, text, handler.lineno, handler.body, behind, before))
            before = handler.body
        blocks += self._else(before, node.orelse)
        if node.finalbody:
            blocks += self._else(node.orelse or before, node.finalbody, "finally")
        return self._headed(node, "try", "try", blocks, colon, (*self.comments_above(node.lineno, above), *end))

    def _match(self, node: ast.Match, above: Above) -> Statement:
        blocks: list[Block] = []
        before: Sequence[ast.stmt] = ()
        for case in node.cases:
            test = self.code(case.pattern) + (f" if {self.code(case.guard)}" if case.guard is not None else "")
            first = case.pattern.lineno
            while not self.lines[first - 1].lstrip().startswith("case"):
                first -= 1
            behind = self.colon(end_of(case.guard or case.pattern))
            blocks.append(self._marked("case", test, f"case {test}", first, case.body, behind, before))
            before = case.body
        subject = self.code(node.subject)
        head = end_of(node.subject)
        text = f"match {subject}"
        comments = self.comments_above(node.lineno, above)
        return self._headed(node, "match", text, blocks, head, comments, has_call(subject))

    def _marked(
        self, kind: str, test: str, text: str, first: int, body: Sequence[ast.stmt], colon: Place,
        before: Sequence[ast.stmt],
    ) -> Block:
        """The block of a handler or case; its head is a statement of its own, `before` the block above it."""
        block, end = self._block(kind, test, body, colon)
        above = self._behind_block(before) if before else Above(0)
        comments = (*self.comments_above(first, above), *end)
        marker = Statement(kind, first + self.shift, colon.line + self.shift, text, comments=comments)
        return Block(kind, test, (marker, *block.statements))

    def _headed(
        self, node: ast.stmt, kind: str, text: str, blocks: Sequence[Block], head: Place, comments: tuple[str, ...],
        calls: bool | None = None,
    ) -> Statement:
        called = has_call(text) if calls is None else calls
        return Statement(kind, node.lineno + self.shift, end_of(node).line + self.shift, text, tuple(blocks),
                         comments, head.line + self.shift, called)

    def _else(self, before: Sequence[ast.stmt], body: Sequence[ast.stmt], label: str = "else") -> list[Block]:
        """The block behind `else:` or `finally:`, which stands between `before` and it."""
        if not body:
            return []
        return [self._block(label, "", body, self.colon(end_of(before[-1]), word=label))[0]]

    def _block(
        self, label: str, test: str, body: Sequence[ast.stmt], colon: Place
    ) -> tuple[Block, tuple[str, ...]]:
        """The block behind a head's colon, and the comment at the end of the head."""
        rest = self.behind(colon).lstrip(" \t\f:")
        suite = bool(rest) and rest[0] != "#"
        comments = (rest,) if rest and not suite else ()
        return Block(label, test, self.statements(body, Above(colon.line), suite=suite)), comments

    def _behind_block(self, body: Sequence[ast.stmt]) -> Above:
        return Above(end_of(body[-1]).line, self.indent(body))

    def _footer(self, node: ast.stmt) -> str:
        """The indentation of the block that ends a compound statement."""
        while isinstance(node, ast.If) and self._is_elif(node.orelse):
            node = node.orelse[0]
        return self.indent(_last_body(node))

    def _is_elif(self, body: Sequence[ast.stmt]) -> bool:
        return len(body) == 1 and isinstance(body[0], ast.If) and self.behind(start_of(body[0])).startswith("elif")


def _last_body(node: ast.stmt) -> Sequence[ast.stmt]:
    """The block that ends a compound statement."""
    if isinstance(node, ast.Match):
        return node.cases[-1].body
    last: Sequence[ast.stmt] = getattr(node, "finalbody", ()) or getattr(node, "orelse", ())
    handlers = getattr(node, "handlers", ())
    return last or (handlers[-1].body if handlers else node.body)  # type: ignore[attr-defined]  # compound ones have it
