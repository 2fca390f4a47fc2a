"""One C++ function, read exactly, with tree-sitter.

Takes a file's bytes and the span of one function, class or run of statements. Makes its `Reading`, in the tree that
Python has too. Refuses to read more than that span, to resolve names, and to follow control flow.

Directives and attribute macros are blanked before parsing (`survey.cpp_prepare`), so lines stay; the branches of an
`#if` become a `macro-condition` where they hold whole statements. A lambda is a `def` in a `lambda` block of the
statement that holds it. What the parser skips is a simple statement, and its lines are in `problems`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from tracer.errors import SourceParseError
from tracer.model import line_ends
from tracer.reading.conditions import Group, prepared, regions_of, under
from tracer.reading.statements import Block, Reading, Statement, collapse, has_call

_LANGUAGE = Language(tree_sitter_cpp.language())
_PARSER = Parser(_LANGUAGE)
_MARKS = Query(_LANGUAGE, "(comment) @comment (lambda_expression) @lambda (ERROR) @error (MISSING) @error")
_RAII = re.compile(r"(?i:(?<![bc])lock|guard|accessor|scope|defer|finally|raii)")
_TYPE = re.compile(rb"\s*(?:template\s*<[^{;]*>\s*)?(?:class|struct|union|enum)\b")
_OPEN = b"struct S_ {\n"
_VISIBLE = re.compile(rb"[^\n]")
_KINDS = {
    "return_statement": "return", "co_return_statement": "return", "throw_statement": "raise",
    "break_statement": "break", "continue_statement": "continue", "goto_statement": "goto",
    "co_yield_statement": "yield",
}
_DEFINES = ("function_definition", "inline_method_definition")
_CLASSES = ("class_specifier", "struct_specifier", "union_specifier", "enum_specifier")
_ASIDE = ("comment", "access_specifier")
_PLAIN = ("template_declaration", "linkage_specification", "attributed_statement", "friend_declaration")


def read_cpp(source: bytes, first: int, last: int, symbol: str) -> Reading:
    """Read lines `first`..`last` of `source`. Raises `SourceParseError` where nothing in them can be read."""
    source = line_ends(source)
    code, offsets, groups, dropped = prepared(source)
    if not 1 <= first <= last < len(offsets):
        raise SourceParseError(f"lines {first}-{last} are not in a file of {len(offsets) - 1} lines", where=symbol)
    start, end = offsets[first - 1], offsets[last]
    tail = b"\n;" if _TYPE.match(code, start) else b"\n"  # the span of a class ends before its semicolon
    build = _Builder(code[start:end] + tail, source[start:end] + tail, first, groups)
    if build.errors or not build.defines():
        # A constructor, an assignment operator or an access label reads only inside a class.
        inside = _Builder(_OPEN + code[start:end] + b"\n};", _OPEN + source[start:end] + b"\n};", first - 1, groups)
        if (len(inside.errors), not inside.defines()) < (len(build.errors), not build.defines()):
            build = inside
    try:
        found = build.reading(first, last)
    except RecursionError:
        found = None
    if found is None:
        raise SourceParseError(f"lines {first}-{last} hold no C++ that reads", where=symbol, todo="check the file")
    lost = {*build.problems(), *(line for line in dropped if first <= line <= last)}
    regions = tuple(r for r in regions_of(groups) if r.first <= last and r.last >= first)
    head, body = found
    return Reading(symbol, first, last, body, "cpp", head, regions, tuple(sorted(lost)))


class _Builder:
    """Parses one slice and turns its nodes into statements; `first` is the file's line of the slice's first one."""

    def __init__(self, code: bytes, original: bytes, first: int, groups: Sequence[Group]) -> None:
        self.first, self.groups, self.enclosed = first, groups, code.startswith(_OPEN)
        self.root = _PARSER.parse(code).root_node
        marks = QueryCursor(_MARKS).captures(self.root)
        self.errors = marks.get("error", [])
        self.lambdas = sorted(marks.get("lambda", []), key=lambda n: (n.start_byte, -n.end_byte))
        self.above: dict[int, tuple[int, str]] = {}  # of comments on lines of their own, by last line
        self.behind: dict[int, str] = {}             # line: the comment behind its code
        text = bytearray(original)
        for node in marks.get("comment", []):
            comment = collapse(original[node.start_byte:node.end_byte].decode("utf-8", "replace"))
            if code[code.rfind(b"\n", 0, node.start_byte) + 1:node.start_byte].strip():
                self.behind[self._first(node)] = comment
            else:
                self.above[self._last(node)] = (self._first(node), comment)
            text[node.start_byte:node.end_byte] = _VISIBLE.sub(b" ", text[node.start_byte:node.end_byte])
        # Directives, and branches that blanking left out, are no part of a statement's text either.
        lines = zip(bytes(text).split(b"\n"), code.split(b"\n"), strict=True)
        self.text = b"\n".join(shown if kept.strip() else kept for shown, kept in lines)

    def nodes(self) -> list[Node]:
        """What the slice holds at its outermost, without the class put around it."""
        nodes = [n for n in self.root.named_children if n.type != "comment" and n.text != b";"]
        body = nodes[0].child_by_field_name("body") if self.enclosed and nodes else None
        return [n for n in body.named_children if n.type not in _ASIDE] if body is not None else nodes

    def defines(self) -> Node | None:
        """The one function or class that the slice holds."""
        inner = [_bare(n) for n in self.nodes()]
        found = [n for n in inner if n.type in _DEFINES]
        if len(found) != 1:
            found = [n for n in inner if n.type in _CLASSES and n.child_by_field_name("body")]
        return found[0] if len(found) == 1 and (len(inner) == 1 or found[0].type in _DEFINES) else None

    def reading(self, first: int, last: int) -> tuple[Statement | None, Block] | None:
        """The head and the body of what the slice defines; no head for a run of statements; None if it is empty."""
        chosen = self.defines()
        if chosen is not None:
            head = self._definition(chosen)
            return head, head.blocks[0]
        run = self._wrap(self._statements(self.nodes()), first, last)
        return (None, Block("body", "", run)) if run else None

    def problems(self) -> list[int]:
        """The lines where the parser skipped or invented something."""
        return [line for n in self.errors for line in range(self._first(n), self._last(n) + 1)]

    def _definition(self, node: Node) -> Statement:
        """A function or class with one block `body`; a constructor's initialisers are its first statements."""
        outer = node
        while outer.parent is not None and outer.parent.type in _PLAIN:
            outer = outer.parent
        body = node.child_by_field_name("body") or next((n for n in node.children if n.type == "try_statement"), None)
        lists = [n for n in node.children if n.type == "field_initializer_list"]
        initial = [n for held in lists for n in held.named_children if n.type == "field_initializer"]
        statements = [self._simple(n) for n in initial]
        edge = lists[0] if lists else body
        if body is not None and body.type == "try_statement":
            statements.append(self._compound(body))
        elif body is not None:
            statements += self._body(body).statements
        kind = "class" if node.type in _CLASSES else "def"
        head_last = max(self._first(node), self._line_before(edge)) if edge is not None else self._last(node)
        text = self._between(outer.start_byte, edge.start_byte if edge is not None else node.end_byte)
        return Statement(kind, self._first(outer), self._last(outer), text.rstrip(" :"),
                         (Block("body", "", tuple(statements)),), self._comments(outer, head_last), head_last)

    def _body(self, node: Node | None, label: str = "body", test: str = "", marker: Sequence[Statement] = ()) -> Block:
        if node is None:
            return Block(label, test, tuple(marker))
        if (node := _bare(node)).type in ("compound_statement", "field_declaration_list", "enumerator_list"):
            inner = self._statements(node.named_children)
            return Block(label, test, (*marker, *self._wrap(inner, self._first(node), self._last(node))))
        return Block(label, test, (*marker, *self._statements([node])))

    def _statements(self, nodes: Sequence[Node]) -> list[Statement]:
        out: list[Statement] = []
        todo = list(reversed(nodes))
        while todo:
            node = _bare(todo.pop())
            if node.type in _ASIDE or self._text(node) in (";", ""):
                continue
            if node.type == "labeled_statement":
                label, *rest = node.named_children
                out.append(Statement("label", self._first(label), self._last(label), f"{self._text(label)}:"))
                todo += reversed(rest)
            else:
                out.append(self._compound(node))
        return out

    def _compound(self, node: Node) -> Statement:
        kind, field = node.type, node.child_by_field_name
        if kind == "if_statement":
            return self._if(node)
        if kind == "while_statement":
            body = self._body(field("body"), "body", self._test(field("condition")))
            return self._headed(node, "while", field("body"), [body])
        if kind == "do_statement":
            test = field("condition")
            blocks = [self._body(field("body"))]
            if test is not None:
                blocks.append(Block("condition", self._test(test), (self._simple(test),)))
            return self._headed(node, "do", field("body"), blocks)
        if kind in ("for_statement", "for_range_loop"):
            under_it = field("body")
            head = self._between(node.start_byte, under_it.start_byte if under_it is not None else node.end_byte)
            body = self._body(under_it, "body", collapse(head.removeprefix("for").strip()[1:-1]))
            return self._headed(node, "for", under_it, [body])
        if kind == "switch_statement":
            return self._headed(node, "switch", field("body"), self._cases(field("body")))
        if kind == "try_statement":
            blocks = [self._body(field("body"))]
            blocks += [self._handler(n) for n in node.named_children if n.type == "catch_clause"]
            return self._headed(node, "try", field("body"), blocks)
        if kind == "compound_statement":
            return self._headed(node, "block", node, [self._body(node)])
        if kind in _DEFINES and not _is_function(node):  # a macro with a body: FOR_EACH(x) { … }
            return self._headed(node, "block", field("body"), [self._body(field("body"))])
        if kind in _DEFINES or (kind in _CLASSES and field("body") is not None):
            return self._definition(node)
        return self._simple(node)

    def _if(self, node: Node) -> Statement:
        # An else-if chain is folded from its end: long ones must not recurse.
        chain: list[Node] = [node]
        while True:
            clause = chain[-1].child_by_field_name("alternative")
            last = next((_bare(n) for n in clause.named_children if n.type != "comment"), None) if clause else None
            if last is None or last.type != "if_statement":
                break
            chain.append(last)
        other = [self._body(last, "else")] if last is not None else []
        for part in reversed(chain):
            body = part.child_by_field_name("consequence")
            test = self._test(part.child_by_field_name("condition"))
            made = self._headed(part, "if", body, [self._body(body, "body", test), *other])
            other = [Block("else", "", (made,))]
        return made

    def _cases(self, body: Node | None) -> list[Block]:
        """The cases of a switch; labels without statements join the case behind them."""
        out: list[Block] = []
        markers: list[Statement] = []
        tests: list[str] = []
        nodes = [n for n in body.named_children if n.type == "case_statement"] if body is not None else []
        for at, node in enumerate(nodes):
            value = node.child_by_field_name("value")
            colon = next((n for n in node.children if n.type == ":"), node)
            tests.append(self._text(value) if value is not None else "default")
            line = self._first(node)
            markers.append(Statement("case", line, self._last(colon), self._between(node.start_byte, colon.start_byte),
                                     comments=self._comments(node, self._last(colon))))
            inner = self._statements([n for n in node.named_children if n.start_byte >= colon.end_byte])
            if not inner and at + 1 < len(nodes):
                continue
            end = self._first(nodes[at + 1]) - 1 if at + 1 < len(nodes) else self._last(body or node)
            out.append(Block("case", " | ".join(tests), (*markers, *self._wrap(inner, line, end))))
            markers, tests = [], []
        return out

    def _handler(self, node: Node) -> Block:
        body = node.child_by_field_name("body")
        test = self._test(node.child_by_field_name("parameters"))
        line = self._line_before(body) if body is not None else self._last(node)
        marker = Statement("except", self._first(node), line, f"catch ({test})", comments=self._comments(node, line))
        return self._body(body, "except", test, (marker,))

    def _headed(self, node: Node, kind: str, body: Node | None, blocks: list[Block]) -> Statement:
        body = _bare(body) if body is not None else None
        edge = body.start_byte if body is not None else node.end_byte
        # A lambda holds those behind its start. A brace on a line of its own is no part of the head.
        head = max(self._first(node), self._line_before(body)) if body is not None else self._first(node)
        text = self._between(node.start_byte, edge) or "{"
        inner = self._lambdas(node.start_byte + (kind == "def"), edge)
        return Statement(kind, self._first(node), self._last(node), text, (*inner, *blocks),
                         self._comments(node, head), head, kind != "def" and has_call(text.partition(" ")[2] or text))

    def _simple(self, node: Node) -> Statement:
        text = self._text(node)
        kind = _KINDS.get(node.type, "simple")
        if node.type == "expression_statement" and text.startswith("throw"):
            kind = "raise"
        if node.type == "declaration" and _releases(node):
            kind = "raii"
        inner = self._lambdas(node.start_byte, node.end_byte)
        bare = self._between(node.start_byte, node.end_byte, cut=True)
        first, last = self._first(node), self._last(node)
        return Statement(kind, first, last, bare if first < last else text, inner, self._comments(node, last),
                         calls=has_call(bare))

    def _lambdas(self, start: int, end: int) -> tuple[Block, ...]:
        out: list[Block] = []
        for node in self._outermost(start, end):
            body = node.child_by_field_name("body")
            held = self._headed(node, "def", body, [self._body(body)])
            out.append(Block("lambda", "", (held,)))
        return tuple(out)

    def _outermost(self, start: int, end: int) -> list[Node]:
        out: list[Node] = []
        key = attrgetter("start_byte")
        for node in self.lambdas[bisect_left(self.lambdas, start, key=key):bisect_left(self.lambdas, end, key=key)]:
            if not out or node.start_byte >= out[-1].end_byte:
                out.append(node)
        return out

    def _wrap(self, statements: Sequence[Statement], first: int, last: int) -> tuple[Statement, ...]:
        """`statements` of a block on lines `first`..`last`; those between directives are put under a condition."""
        groups = [g for g in self.groups if g.first <= last and first <= g.last] if statements else []
        return under(statements, groups, first, last) if groups else tuple(statements)

    def _first(self, node: Node) -> int:
        return self.first + node.start_point.row

    def _last(self, node: Node) -> int:
        row, column = node.end_point
        return self.first + row - (column == 0 and node.end_byte > node.start_byte)

    def _line_before(self, node: Node) -> int:
        code = self.text[:node.start_byte]
        return self._first(node) - code[len(code.rstrip()):].count(b"\n")

    def _text(self, node: Node) -> str:
        return self._between(node.start_byte, node.end_byte)

    def _between(self, start: int, end: int, *, cut: bool = False) -> str:
        """Text on one line without comments; `cut`: bodies of lambdas are left out of it."""
        parts: list[bytes] = []
        if cut:
            for node in self._outermost(start, end):
                body = node.child_by_field_name("body")
                if body is not None and body.end_byte <= end:
                    parts += [self.text[start:body.start_byte], b"{}"]
                    start = body.end_byte
        text = collapse(b"".join([*parts, self.text[start:end]]).decode("utf-8", "replace"))
        return text[:-1].rstrip() if text.endswith(";") and len(text) > 1 else text

    def _test(self, node: Node | None) -> str:
        text = self._text(node) if node is not None else ""
        return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text

    def _comments(self, node: Node, head: int) -> tuple[str, ...]:
        """The run of comment lines that touches the statement, and the comment at the end of its head."""
        run: list[str] = []
        line = self._first(node) - 1
        while line in self.above:
            line, text = self.above[line]
            run.append(text)
            line -= 1
        run.reverse()
        return (*run, self.behind[head]) if head in self.behind else tuple(run)


def _bare(node: Node) -> Node:
    """What stands inside attributes, a template's head or `extern "C"`."""
    while node.type in _PLAIN:
        inner = [n for n in node.named_children if n.type != "comment"]
        if not inner:
            break
        node = inner[-1]
    return node


def _is_function(node: Node) -> bool:
    """Whether a definition is one; inside a function it is a macro with a body."""
    while node.parent is not None and node.parent.type in _PLAIN:
        node = node.parent
    return node.parent is None or node.parent.type in ("field_declaration_list", "declaration_list", "translation_unit")


def _releases(node: Node) -> bool:
    """Whether a declaration's type, or the maker of an `auto`, is one that releases at the end of its scope."""
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type == "placeholder_type_specifier":
        made = node.child_by_field_name("declarator")
        made = made.child_by_field_name("value") if made is not None else None
        kind = made.child_by_field_name("function") if made is not None else None
        if kind is not None and kind.type not in ("identifier", "qualified_identifier", "template_function"):
            return False
    return kind is not None and kind.text is not None and _RAII.search(kind.text.decode("utf-8", "replace")) is not None
