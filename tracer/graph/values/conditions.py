"""Conditions on a variable: what holds of it in a branch, and branches that its values never take."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tracer.graph.values.domain import (
    NOTHING,
    Bound,
    Builtin,
    Const,
    Container,
    External,
    Frame,
    Function,
    Instance,
    Klass,
    Partial,
    Value,
    Values,
    one,
    union,
)
from tracer.graph.values.machine import Machine

CALLABLE = Function | Klass | Bound | Partial


class Conditions(Machine):
    """`narrow` and `decided`."""

    def narrow(self, test: ast.expr, holds: bool, frame: Frame) -> None:
        """Where `isinstance(name, Class)` holds, the name is one of those; where it does not, one of the others."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
            for part in test.values:
                self.narrow(part, holds, frame)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.narrow(test.operand, not holds, frame)
        name, wanted = self._type_test(test, frame)
        if wanted and name in frame.fields:
            values = frame.fields[name] or NOTHING
            kept = frozenset(v for v in values if not isinstance(v, Instance) or _is_one(v, wanted) in (holds, None))
            if kept != values:
                self.store.write(frame, name, kept)

    def decided(self, test: ast.expr, frame: Frame) -> bool | None:
        """What a condition on a variable of an exact frame always is there; None if it may be either."""
        if not frame.exact:
            return None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.decided(test.operand, frame)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            parts = [self.decided(part, frame) for part in test.values]
            ends = isinstance(test.op, ast.Or)
            if ends in parts:
                return ends
            return None if None in parts else not ends
        name, ask = self._question(test, frame)
        values = frame.fields.get(name) if name else None
        answers = {ask(v) for v in values} if values else {None}
        return answers.pop() if len(answers) == 1 else None

    def aside(self, test: ast.expr, run: Callable[[], object], frame: Frame) -> None:
        """Run a branch that is not taken for the calls in it alone: nothing that it sets or returns goes on."""
        owner = frame.owner()
        kept = owner.returns, owner.yields, owner.yielded, self.raised[:]
        mark = self.store.mark()
        name, _ = self._question(test, frame)
        if name:
            self.store.write(frame, name, NOTHING)
        run()
        self.store.undo(mark)
        owner.returns, owner.yields, owner.yielded, self.raised[:] = kept

    def _question(self, test: ast.expr, frame: Frame) -> tuple[str, Callable[[Value], bool | None]]:
        """The variable that a condition is about, and what it is for one value of it."""
        if isinstance(test, ast.Name):
            return test.id, _truth
        if (
            isinstance(test, ast.Compare)
            and isinstance(test.left, ast.Name)
            and isinstance(test.ops[0], ast.Is | ast.IsNot)
            and isinstance(test.comparators[0], ast.Constant)
            and test.comparators[0].value is None
            and len(test.ops) == 1
        ):
            wanted = isinstance(test.ops[0], ast.Is)
            return test.left.id, lambda v: None if _is_none(v) is None else _is_none(v) == wanted
        if isinstance(test, ast.Call) and len(test.args) == 1 and self._builtin_test(test, "callable", frame):
            return test.args[0].id if isinstance(test.args[0], ast.Name) else "", _is_callable
        name, kinds = self._type_test(test, frame)
        return name if kinds else "", lambda v: _is_one(v, kinds) if isinstance(v, Instance) else None

    def _type_test(self, test: ast.expr, frame: Frame) -> tuple[str, Values]:
        """The variable and the types of an `isinstance`."""
        if isinstance(test, ast.Call) and len(test.args) == 2 and self._builtin_test(test, "isinstance", frame):
            subject, kinds = test.args
            if isinstance(subject, ast.Name):
                return subject.id, self.types(self.evaluate(kinds, frame), test, frame)
        return "", NOTHING

    def _builtin_test(self, test: ast.Call, name: str, frame: Frame) -> bool:
        if not isinstance(test.func, ast.Name) or test.func.id != name:
            return False
        return any(isinstance(v, Builtin) for v in self.lookup(name, frame))

    def types(self, values: Values, site: ast.AST, frame: Frame) -> Values:
        """The types that `isinstance` or `except` is given, alone or in a tuple."""
        return union(self.iterate(one(v), site, frame).every if isinstance(v, Container) else one(v) for v in values)


def _truth(value: Value) -> bool | None:
    if isinstance(value, CALLABLE):
        return True
    return False if isinstance(value, Const) and value.value is None else None


def _is_none(value: Value) -> bool | None:
    if isinstance(value, Const):
        return value.value is None
    return False if isinstance(value, CALLABLE | Instance | Container) else None


def _is_callable(value: Value) -> bool | None:
    if isinstance(value, Const):
        return False
    return True if isinstance(value, CALLABLE) else None


def _is_one(value: Instance, kinds: Values) -> bool | None:
    """Whether an instance is of one of these classes; None where a class outside the program hides it."""
    if kinds.intersection(value.klass.mro):
        return True
    outside = any(isinstance(k, External) for k in value.klass.mro)
    return None if outside and any(not isinstance(k, Klass) for k in kinds) else False
