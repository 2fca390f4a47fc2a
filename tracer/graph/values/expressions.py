"""Evaluating expressions: each gives the set of values that it may be."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any

from tracer.graph.values.domain import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Const,
    Container,
    Frame,
    Prefix,
    Value,
    Values,
    constant,
    literals,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import UNROLLED, Machine

LONGEST = 200  # characters of a text that is computed


class Expressions(Machine):
    """`evaluate`: one method a kind of expression."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Values:
        """What an expression may be."""
        evaluate: Callable[..., Values] | None = _EVALUATE.get(type(node))
        return UNKNOWN if evaluate is None else evaluate(self, node, frame)

    def _constant(self, node: ast.Constant, _frame: Frame) -> Values:
        return one(self.value(("const", type(node.value), node.value), lambda: Const(node.value)))

    def _name(self, node: ast.Name, frame: Frame) -> Values:
        return self.lookup(node.id, frame)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Values:
        return self.attributes(self.evaluate(node.value, frame), node.attr, node, frame)

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Values:
        owners = self.evaluate(node.value, frame)
        keys = self.evaluate(node.slice, frame)
        return union(self.item(owner, keys, node, frame) for owner in ordered(owners))

    def _slice(self, node: ast.Slice, frame: Frame) -> Values:
        bounds: list[Hashable] = []
        for part in (node.lower, node.upper, node.step):
            found = literals(self.evaluate(part, frame), 1) if part is not None else [None]
            if found is None:
                return UNKNOWN
            bounds.append(found[0])
        return one(self.value(("slice", *bounds), lambda: Const(("slice", *bounds))))

    def _call_expression(self, node: ast.Call, frame: Frame) -> Values:
        callees = self.evaluate(node.func, frame)
        return self.call(callees, self.arguments(node, frame), node, frame)

    def arguments(self, node: ast.Call, frame: Frame) -> Arguments:
        """What a call passes, unpacked as far as it is known."""
        passed = Arguments()
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                found = self.iterate(self.evaluate(argument.value, frame), argument, frame)
                if found.each is not None and passed.rest is None:
                    passed.positional.extend(found.each)
                else:
                    passed.rest = (passed.rest or NOTHING) | found.every
            elif passed.rest is not None:
                passed.rest |= self.evaluate(argument, frame)
            else:
                passed.positional.append(self.evaluate(argument, frame))
        for keyword in node.keywords:
            values = self.evaluate(keyword.value, frame)
            if keyword.arg is not None:
                passed.keywords[keyword.arg] = values
                continue
            for owner in ordered(values):
                if not isinstance(owner, Container):
                    passed.rest_keywords = (passed.rest_keywords or NOTHING) | UNKNOWN
                    continue
                for key, held in owner.fields.items():
                    if isinstance(key, Const) and isinstance(key.value, str):
                        passed.keywords[key.value] = passed.keywords.get(key.value, NOTHING) | (held or NOTHING)
                    elif held:
                        passed.rest_keywords = (passed.rest_keywords or NOTHING) | held
        return passed

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Values:
        return one(self.function(node, f"<lambda{self.lambdas.get(node, 0)}>", frame))

    def _display(self, node: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Values:
        kind = type(node).__name__.lower()
        items: list[Values] = []
        loose: Values | None = None
        for element in node.elts:
            if not isinstance(element, ast.Starred):
                items.append(self.evaluate(element, frame))
                continue
            found = self.iterate(self.evaluate(element.value, frame), element, frame)
            if found.each is None:
                loose = (loose or NOTHING) | found.every
            else:
                items.extend(found.each)
        if loose is not None:
            return one(self.bag(kind, union([loose, *items]), node, frame))
        return one(self.sequence(kind, items, node, frame))

    def _dict_display(self, node: ast.Dict, frame: Frame) -> Values:
        result = self.sequence("dict", [], node, frame)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.call_method(result, "update", Arguments([self.evaluate(value, frame)]), node, frame)
            else:
                keys = self.evaluate(key, frame)
                self.set_item(one(result), keys, self.evaluate(value, frame), node, frame)
        return one(result)

    def _either(self, node: ast.BoolOp, frame: Frame) -> Values:
        parts = [self.evaluate(v, frame) for v in node.values]
        if isinstance(node.op, ast.Or):  # an empty literal on the left is never the result
            parts[:-1] = [frozenset(v for v in p if not isinstance(v, Const) or v.value) for p in parts[:-1]]
        else:
            parts[:-1] = [frozenset(v for v in p if isinstance(v, Const) and not v.value) for p in parts[:-1]]
        return union(parts)

    def _conditional(self, node: ast.IfExp, frame: Frame) -> Values:
        self.evaluate(node.test, frame)
        sure = self.decided(node.test, frame)
        if sure is not None:
            sides = (node.orelse, node.body)
            self.aside(node.test, partial(self.evaluate, sides[not sure], frame), frame)
            return self.evaluate(sides[sure], frame)
        return self.evaluate(node.body, frame) | self.evaluate(node.orelse, frame)

    def _binary(self, node: ast.BinOp, frame: Frame) -> Values:
        left = self.evaluate(node.left, frame)
        return self.operate(left, node.op, self.evaluate(node.right, frame), node, frame)

    def operate(self, left: Values, op: ast.operator, right: Values, site: ast.AST, frame: Frame) -> Values:
        """A binary operation: on literals, on containers, or by the program's own methods."""
        name, compute = _OPERATORS.get(type(op), ("", None))
        first, second = literals(left, 4), literals(right, 4)
        if first is not None and second is not None and compute is not None:
            return union(self._computed(compute, a, b) for a in first for b in second)
        result: set[Value] = set()
        if isinstance(op, ast.Add):
            begun = (v for v in ordered(left) if isinstance(v, Const | Prefix))
            result |= self._begun(v.text if isinstance(v, Prefix) else v.value for v in begun)
        for value in ordered(left):
            method = self.special(value, f"__{name}__")
            if method:
                result |= self.call(method, Arguments([right]), site, frame)
            elif isinstance(value, Container) and isinstance(op, ast.Add):
                items = [self.iterate(side, site, frame) for side in (one(value), right)]
                if items[0].each is not None and items[1].each is not None:
                    result.add(self.sequence(value.kind, items[0].each + items[1].each, (site, value), frame))
                else:
                    result.add(self.bag(value.kind, items[0].every | items[1].every, (site, value), frame))
            elif isinstance(value, Container) and isinstance(op, ast.Mult):
                result.add(self.bag(value.kind, self.iterate(one(value), site, frame).every, (site, value), frame))
            elif isinstance(value, Container):
                copied = self.call_method(value, "copy", Arguments(), site, frame)
                for copy in ordered(copied):
                    self.call_method(copy, "update", Arguments([right]), site, frame)
                result |= copied
        if not result:
            for value in ordered(right):
                result |= self.call(self.special(value, f"__r{name}__"), Arguments([left]), site, frame)
        return frozenset(result) or UNKNOWN

    def _computed(self, compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Values:
        simple = (int, str, bool, float)
        if not isinstance(left, simple) or not isinstance(right, int | str | bool | float):
            return UNKNOWN
        if isinstance(left, str) != isinstance(right, str) and compute is not operator.mod:
            return UNKNOWN
        if not isinstance(left, str) and abs(left) > 1 << 20:
            return UNKNOWN
        if not isinstance(right, str) and abs(right) > 64:
            return UNKNOWN
        if isinstance(left, str) and compute is operator.mod and ("*" in left or any(c.isdigit() for c in left)):
            return UNKNOWN  # widths make long texts
        try:
            result = compute(left, right)
        except (ArithmeticError, TypeError, ValueError):
            return UNKNOWN
        return UNKNOWN if isinstance(result, str) and len(result) > LONGEST else constant(result)

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Values:
        values = self.evaluate(node.operand, frame)
        if isinstance(node.op, ast.Not):
            return UNKNOWN
        name = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}[type(node.op)]
        found = literals(values, 1)
        if found is not None and isinstance(node.op, ast.USub) and isinstance(found[0], int | float):
            return constant(-found[0])
        return union(self.call(self.special(v, name), Arguments(), node, frame) for v in ordered(values)) or UNKNOWN

    def _compare(self, node: ast.Compare, frame: Frame) -> Values:
        left = self.evaluate(node.left, frame)
        result: Values = NOTHING
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(comparator, frame)
            owners, other = (right, left) if isinstance(op, ast.In | ast.NotIn) else (left, right)
            name = _COMPARISONS.get(type(op), "")
            for owner in ordered(owners):
                method = self.special(owner, name) if name else NOTHING
                if not method and isinstance(op, ast.NotEq):
                    method = self.special(owner, "__eq__")
                result |= self.call(method, Arguments([other]), node, frame)
            left = right
        return result or UNKNOWN

    def _text(self, node: ast.JoinedStr, frame: Frame) -> Values:
        texts = [""]
        known = True
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            values = self.evaluate(inner, frame)
            plain = not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and part.format_spec is None)
            for value in ordered(values):
                self.call(self.special(value, "__format__") or self.special(value, "__str__"), Arguments(), part, frame)
            found = literals(values)
            if known and found is not None and plain and len(texts) * len(found) <= UNROLLED:
                texts = [f"{text}{value}"[:LONGEST] for text in texts for value in found]
            else:
                known = False
        return union(constant(t) for t in texts) if known else self._begun(texts) | UNKNOWN

    def _begun(self, texts: Iterable[Hashable]) -> Values:
        """Texts that begin with these."""
        begun = [t for t in texts if isinstance(t, str) and t]
        return union(one(self.value(("prefix", t), partial(Prefix, t))) for t in begun)

    def _await(self, node: ast.Await, frame: Frame) -> Values:
        return self.evaluate(node.value, frame)

    def _walrus(self, node: ast.NamedExpr, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame)
        self.bind(node.target.id, values, frame.owner())
        return values

    def _yield(self, node: ast.Yield, frame: Frame) -> Values:
        values = self.evaluate(node.value, frame) if node.value is not None else constant(None)
        self._yielded(values, [values], frame.owner())
        return UNKNOWN

    def _yield_from(self, node: ast.YieldFrom, frame: Frame) -> Values:
        source = self.evaluate(node.value, frame)
        found = self.iterate(source, node, frame)
        self._yielded(found.every, found.each, frame.owner())
        return union(v.source for v in source if isinstance(v, Container)) or UNKNOWN

    def _yielded(self, every: Values, each: list[Values] | None, owner: Frame) -> None:
        owner.yields |= every
        if owner.yielded is not None:
            owner.yielded = None if owner.nesting or each is None else [*owner.yielded, *each]

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Values:
        kind = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}[type(node)]
        items: list[Values] = []
        exact = self._turns(node.generators, lambda inner: items.append(self.evaluate(node.elt, inner)), node, frame)
        if exact and kind != "set":
            return one(self.sequence(kind, items, node, frame))
        return one(self.bag(kind, union(items), node, frame))

    def _dict_comprehension(self, node: ast.DictComp, frame: Frame) -> Values:
        result = self.sequence("dict", [], node, frame)

        def turn(inner: Frame) -> None:
            keys = self.evaluate(node.key, inner)
            self.set_item(one(result), keys, self.evaluate(node.value, inner), node, inner)

        self._turns(node.generators, turn, node, frame)
        return one(result)

    def _turns(
        self, loops: list[ast.comprehension], turn: Callable[[Frame], None], site: ast.expr, frame: Frame
    ) -> bool:
        """Run `turn` for each element, one by one where they are known. Returns whether they all were."""
        inner = self.value(
            ("comprehension", site, frame), lambda: Frame("comprehension", frame.scope, frame.caller, frame)
        )
        inner.function, inner.iteration = frame.function, frame.iteration
        loop, later = loops[0], loops[1:]
        found = self.iterate(self.evaluate(loop.iter, frame), loop, frame, bool(loop.is_async))
        exact = bool(found.each) and len(found.each or []) <= UNROLLED
        for number, values in enumerate((found.each or []) if exact else [found.every]):
            inner.iteration = (*frame.iteration, number) if exact else frame.iteration
            self.assign(loop.target, values, inner)
            for test in loop.ifs:
                self.evaluate(test, inner)
            if later:
                exact = self._turns(later, turn, loop.target, inner) and exact
            else:
                turn(inner)
        return exact and not loop.ifs


_OPERATORS: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any] | None]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul),
    ast.Mod: ("mod", operator.mod), ast.FloorDiv: ("floordiv", operator.floordiv), ast.Div: ("truediv", None),
    ast.BitOr: ("or", None), ast.BitAnd: ("and", None), ast.BitXor: ("xor", None), ast.LShift: ("lshift", None),
    ast.RShift: ("rshift", None), ast.Pow: ("pow", None), ast.MatMult: ("matmul", None),
}  # fmt: skip

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__",
    ast.In: "__contains__", ast.NotIn: "__contains__",
}  # fmt: skip

_EVALUATE: dict[type[ast.expr], Callable[..., Values]] = {
    ast.Constant: Expressions._constant, ast.Name: Expressions._name, ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript, ast.Slice: Expressions._slice, ast.Call: Expressions._call_expression,
    ast.Lambda: Expressions._lambda, ast.List: Expressions._display, ast.Tuple: Expressions._display,
    ast.Set: Expressions._display, ast.Dict: Expressions._dict_display, ast.BoolOp: Expressions._either,
    ast.IfExp: Expressions._conditional, ast.BinOp: Expressions._binary, ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare, ast.JoinedStr: Expressions._text, ast.Await: Expressions._await,
    ast.NamedExpr: Expressions._walrus, ast.Yield: Expressions._yield, ast.YieldFrom: Expressions._yield_from,
    ast.ListComp: Expressions._comprehension, ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension, ast.DictComp: Expressions._dict_comprehension,
}  # fmt: skip
