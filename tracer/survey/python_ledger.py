"""The facts of one Python file while it is walked: what is emitted, with the scope, statement and test at hand.

Takes paths and nodes from the walk, makes facts. Refuses to know how paths come about.
"""

from __future__ import annotations

import ast

from tracer.survey.facts import Access, Bind, Call, Definition, Field, Import, Mark
from tracer.survey.python_path import SEP, alternatives
from tracer.survey.python_text import Source

_TEXT = 160


class Ledger:
    """Facts so far and the place at hand."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.imports: list[Import] = []
        self.definitions: list[Definition] = []
        self.fields: list[Field] = []
        self.binds: list[Bind] = []
        self.accesses: list[Access] = []
        self.calls: list[Call] = []
        self.marks: list[Mark] = []
        self.scope = -1
        self.inside = 0                        # line of the innermost lambda at hand
        self.last = 0                          # last line of the statement at hand
        self.test: ast.expr | None = None      # the outermost test or comparison at hand
        self.test_text = ""

    def bind(self, name: str, value: str, line: int, annotation: str = "") -> None:
        """A local name gets a value; the half that knows scopes says where."""
        raise NotImplementedError

    def change(self, target: str, op: str, node: ast.expr, value: str, text: str) -> None:
        """State changes: one fact for each alternative of the target."""
        line = node.end_lineno or node.lineno
        for part in alternatives(target):
            if part[:1] not in "#?":
                self.accesses.append(Access(self.scope, part, op, line, self.last, value, text))

    def read(self, path: str, node: ast.expr, compared: str = "") -> None:
        """An attribute path is read: one fact for each alternative."""
        text = ""
        test = self.test
        if test is not None:
            text = self.test_text
            if not text:
                text = self.test_text = self.text(test, _TEXT)
        for part in path.split(SEP) if SEP in path else (path,):
            if part[0] not in "#?":
                line = node.end_lineno or node.lineno
                tested = test is not None
                self.accesses.append(Access(self.scope, part, "read", line, self.last, compared, text, tested))

    def mark(self, kind: str, node: ast.stmt | ast.expr) -> None:
        """A statement that rules may ask for."""
        self.marks.append(Mark(self.scope, kind, node.lineno, node.end_lineno or 0, self.text(node, _TEXT)))

    def result(self, kind: str, path: str, node: ast.stmt | ast.expr) -> None:
        """A function's result: the mark and the value."""
        self.mark(kind, node)
        if path:
            self.bind(kind, path, node.lineno)
