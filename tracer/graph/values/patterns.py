"""`match`: what each pattern binds, the cases as branches."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from tracer.graph.values.domain import (
    NOTHING,
    UNKNOWN,
    Frame,
    Instance,
    Klass,
    Values,
    constant,
    literals,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import Flow, Machine


class Patterns(Machine):
    """`match_statement` and the patterns below it."""

    def match_statement(self, node: ast.Match, frame: Frame) -> Flow:
        """A `match` statement."""
        subject = self.evaluate(node.subject, frame)
        branches: list[Callable[[], Flow]] = [partial(self._case, case, subject, frame) for case in node.cases]
        last = node.cases[-1]
        if last.guard is not None or not (isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None):
            branches.append(lambda: Flow.FALL)
        return self.fork(branches, frame)

    def _case(self, case: ast.match_case, subject: Values, frame: Frame) -> Flow:
        self._pattern(case.pattern, subject, frame)
        if case.guard is not None:
            self.evaluate(case.guard, frame)
        return self.execute(case.body, frame)

    def _pattern(self, pattern: ast.pattern, subject: Values, frame: Frame) -> None:
        if isinstance(pattern, ast.MatchAs):
            if pattern.pattern is not None:
                self._pattern(pattern.pattern, subject, frame)
                subject = self._matching(pattern.pattern, subject, frame)
            if pattern.name is not None:
                self.bind(pattern.name, subject, frame)
        elif isinstance(pattern, ast.MatchOr):
            for part in pattern.patterns:
                self._pattern(part, subject, frame)
        elif isinstance(pattern, ast.MatchClass):
            matching = self._matching(pattern, subject, frame)
            for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
                self._pattern(part, self.attributes(matching, name, pattern, frame), frame)
            for number, part in enumerate(pattern.patterns):
                self._pattern(part, self._positional(matching, number, pattern, frame), frame)
        elif isinstance(pattern, ast.MatchSequence):
            for number, part in enumerate(pattern.patterns):
                starred = isinstance(part, ast.MatchStar)
                keys = UNKNOWN if starred else constant(number)
                self._pattern(part, union(self.item(v, keys, pattern, frame) for v in ordered(subject)), frame)
        elif isinstance(pattern, ast.MatchMapping):
            for key, part in zip(pattern.keys, pattern.patterns, strict=True):
                keys = self.evaluate(key, frame)
                self._pattern(part, union(self.item(v, keys, pattern, frame) for v in ordered(subject)), frame)
        elif isinstance(pattern, ast.MatchStar) and pattern.name is not None:
            self.bind(pattern.name, one(self.bag("list", subject, pattern, frame)), frame)

    def _matching(self, pattern: ast.pattern, subject: Values, frame: Frame) -> Values:
        if not isinstance(pattern, ast.MatchClass):
            return subject
        wanted = {k for k in self.evaluate(pattern.cls, frame) if isinstance(k, Klass)}
        kept = frozenset(v for v in subject if isinstance(v, Instance) and wanted.intersection(v.klass.mro))
        return kept or union(self.some_instances(k) for k in ordered(wanted) if isinstance(k, Klass))

    def _positional(self, values: Values, number: int, site: ast.AST, frame: Frame) -> Values:
        found: Values = NOTHING
        for value in ordered(values):
            if not isinstance(value, Instance):
                continue
            names = self.iterate(self.find(value.klass, "__match_args__"), site, frame).each
            chosen = (literals(names[number]) or []) if names is not None and number < len(names) else []
            if names is None and number < len(value.klass.annotated):
                chosen = [value.klass.annotated[number]]
            found = union([found, *(self.attribute(value, str(name), site, frame) for name in chosen)])
        return found
