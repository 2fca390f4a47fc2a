"""Expressions of Python: takes a syntax node, makes its access path and the facts inside it (calls, reads, results).

Visiting returns the path and appends the facts, in one pass. Refuses to know statements and scopes' names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tracer.survey.facts import Arg, Call
from tracer.survey.python_ledger import Ledger
from tracer.survey.python_path import (
    COPIES,
    SEP,
    best,
    copied,
    either,
    index_suffix,
    plain,
    suffixed,
    without_subscripts,
)
from tracer.survey.python_special import OPERATIONS, SPECIAL
from tracer.survey.python_text import Source, literal

_TEXT = 80    # of an argument
_VALUE = 160  # of a value, a test, a statement's head
_CONSTANTS: dict[type, str] = {
    str: "#str", int: "#int", float: "#float", bool: "#bool", type(None): "#none",
}  # fmt: skip
_DISPLAYS: dict[type, str] = {
    ast.List: "#list", ast.Tuple: "#tuple", ast.Set: "#set", ast.ListComp: "#list", ast.SetComp: "#set",
    ast.DictComp: "#dict", ast.GeneratorExp: "?",
}  # fmt: skip
_DECIDING = frozenset({"#str", "#list"})  # one such operand decides the type of `+`, `*` and `%`
_THROUGH = COPIES | {"enumerate", "zip", "range"}


class Expressions(Ledger):
    """Walks expressions."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.element = self.key = ""    # paths of what the last comprehension makes
        self.modules: set[str] = set()  # names bound by `import x`: os.remove() changes no state of ours

    # What the half that knows scopes does.
    def store(self, target: ast.expr, path: str, value: ast.expr | None) -> None:
        """A target of a loop, with, walrus or comprehension gets a value."""
        raise NotImplementedError

    def set_attribute(self, target: str, owner: ast.expr, node: ast.expr, value: ast.expr, path: str) -> None:
        """`owner.name = value` at `node`; `target` is the whole path."""
        raise NotImplementedError

    # Dispatch.
    def value(self, node: Any) -> str:
        """Visit an expression whose value is used: its path; reads and calls inside become facts."""
        return _VALUES[node.__class__](self, node)

    def chain(self, node: Any) -> str:
        """Visit the inner part of a longer path: like `value`, but the part itself is no read."""
        kind = node.__class__
        if kind is ast.Name:
            name: str = node.id
            return name
        if kind is ast.Attribute:
            return suffixed(self.chain(node.value), "." + node.attr)
        if kind is ast.Subscript:
            return self._element(node, self.chain(node.value))
        return _VALUES[kind](self, node)

    def tested(self, node: Any) -> str:
        """Visit a test: reads inside are marked and carry its text."""
        if self.test is not None:
            return _VALUES[node.__class__](self, node)
        self.test, self.test_text = node, ""
        path = _VALUES[node.__class__](self, node)
        self.test = None
        return path

    # Paths.
    def _name(self, node: ast.Name) -> str:
        return node.id

    def _constant(self, node: ast.Constant) -> str:
        return _CONSTANTS.get(node.value.__class__, "?")

    def _attribute(self, node: Any) -> str:
        inner = node.value
        base = inner.id if inner.__class__ is ast.Name else self.chain(inner)
        path = f"{base}.{node.attr}" if SEP not in base else suffixed(base, "." + node.attr)
        self.read(path, node)
        return path

    def _subscript(self, node: Any) -> str:
        return self._element(node, _VALUES[node.value.__class__](self, node.value))

    def _element(self, node: Any, base: str) -> str:
        index = node.slice
        kind = index.__class__
        if kind is ast.Name:
            suffix = "[]"
        else:
            if kind is not ast.Constant:
                _VALUES[kind](self, index)
            suffix = index_suffix(index)
        if base[-1] == ")":
            inner = plain(copied(node.value))
            if inner:  # list(x)[0] is an element of x
                return inner + "[*]" if suffix else base
        return suffixed(base, suffix) if suffix else base

    def _slice(self, node: ast.Slice) -> str:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.value(part)
        return "?"

    # Calls.
    def call(self, node: Any, how: str = "") -> str:
        """Visit a call: the Call, the change its name says, and the path of its result."""
        func = node.func
        kind = func.__class__
        op = receiver = ""
        if kind is ast.Name:
            callee: str = func.id
        elif kind is ast.Attribute:
            inner = func.value
            receiver = inner.id if inner.__class__ is ast.Name else self.chain(inner)
            name = func.attr
            callee = f"{receiver}.{name}" if SEP not in receiver else suffixed(receiver, "." + name)
            op = OPERATIONS[name]
        else:
            callee = self.chain(func)
        args = self._arguments(node) if node.args or node.keywords else ()
        if op and receiver not in self.modules:
            text = ""
            if args:
                parts = [*node.args, *[keyword.value for keyword in node.keywords]]
                text = self.source.between(parts[0], parts[-1], _VALUE)
            self.change(receiver, op, func.value, args[0].path if args else "", text)
        line, last = node.lineno, node.end_lineno
        if SEP in callee:
            for part in callee.split(SEP):
                self.calls.append(Call(self.scope, part, line, last, args, how, self.inside))
            return suffixed(callee, "()")
        self.calls.append(Call(self.scope, callee, line, last, args, how, self.inside))
        special = SPECIAL.get(callee)
        return (special is not None and special(self, node, args)) or callee + "()"

    def _arguments(self, node: Any) -> tuple[Arg, ...]:
        found: list[Arg] = []
        for arg in node.args:
            kind = arg.__class__
            if kind is ast.Name:
                found.append(Arg("", arg.id, arg.id))
            elif kind is ast.Starred:
                found.append(Arg("*", best(self.value(arg.value)), self.text(arg, _TEXT)))
            else:
                found.append(self._argument("", arg))
        if node.keywords:
            found += [self._argument(keyword.arg or "**", keyword.value) for keyword in node.keywords]
        return tuple(found)

    def _argument(self, keyword: str, arg: Any) -> Arg:
        kind = arg.__class__
        if kind is ast.Constant and arg.value.__class__ is str:
            return Arg(keyword, "#str", literal(arg.value, _TEXT))
        path = _VALUES[kind](self, arg)
        if SEP in path:
            path = best(path)
        return Arg(keyword, path, self._template(arg) if kind is ast.JoinedStr else self.text(arg, _TEXT))

    def _template(self, node: ast.JoinedStr) -> str:
        """An f-string's text without quotes, its holes in braces."""
        parts = [
            part.value if isinstance(part, ast.Constant) else f"{{{self.text(getattr(part, 'value', part), _TEXT)}}}"
            for part in node.values
        ]
        return literal("".join(map(str, parts)), _TEXT)

    def _await(self, node: ast.Await) -> str:
        inner = node.value
        return self.call(inner, "await") if inner.__class__ is ast.Call else self.value(inner)

    # Alternatives, tests, operators.
    def _either(self, node: ast.BoolOp) -> str:
        paths = [self.value(part) for part in node.values]
        return either(paths) if node.op.__class__ is ast.Or else paths[-1]

    def _ternary(self, node: ast.IfExp) -> str:
        self.tested(node.test)
        return either((self.value(node.body), self.value(node.orelse)))

    def _compare(self, node: ast.Compare) -> str:
        outermost = self.test is None
        if outermost:
            self.test, self.test_text = node, ""
        operands: list[Any] = [node.left, *node.comparators]
        paths: list[str] = []
        for operand in operands:
            kind = operand.__class__
            paths.append(self.chain(operand) if kind is ast.Attribute or kind is ast.Subscript else self.value(operand))
        for place, operand in enumerate(operands):
            count = 0
            while operand.__class__ is ast.Subscript:
                count += operand.slice.__class__ is not ast.Slice
                operand = operand.value
            if operand.__class__ is ast.Attribute:
                other = best(paths[place - 1 if place else 1])
                self.read(without_subscripts(paths[place], count), operand, other)
        if outermost:
            self.test = None
        return "#bool"

    def _binary(self, node: ast.BinOp) -> str:
        rights: list[ast.expr] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):  # long sums nest to the left: no recursion for them
            rights.append(left.right)
            left = left.left
        path = self.value(left)
        while rights:
            right = self.value(rights.pop())
            path = path if path in _DECIDING else right
        return path if path in _DECIDING else "?"

    def _unary(self, node: ast.UnaryOp) -> str:
        path = self.value(node.operand)
        if node.op.__class__ is ast.Not:
            return "#bool"
        return path if path in ("#int", "#float") else "?"

    # Values with parts.
    def _sequence(self, node: Any) -> str:
        for part in node.elts:
            if part.__class__ is not ast.Constant:
                self.value(part)
        return _DISPLAYS[node.__class__]

    def _dict(self, node: ast.Dict) -> str:
        for key, item in zip(node.keys, node.values, strict=True):
            if key is not None and key.__class__ is not ast.Constant:
                self.value(key)
            if item.__class__ is not ast.Constant:
                self.value(item)
        return "#dict"

    def _fstring(self, node: ast.JoinedStr) -> str:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.value(part.value)
                if isinstance(part.format_spec, ast.JoinedStr):
                    self._fstring(part.format_spec)
        return "#str"

    def _comprehension(self, node: Any) -> str:
        for part in node.generators:
            self.iterate(part.target, part.iter)
            for test in part.ifs:
                self.tested(test)
        if node.__class__ is ast.DictComp:
            key = best(self.value(node.key))
            self.element, self.key = best(self.value(node.value)), key
        else:
            self.element, self.key = best(self.value(node.elt)), ""
        return _DISPLAYS[node.__class__]

    def iterate(self, target: ast.expr, source: Any) -> None:
        """`for target in source`: visits the source and gives the target its element."""
        path = self.value(source)
        if source.__class__ is ast.Call and source.func.__class__ is ast.Name and source.func.id in _THROUGH:
            self._through(target, source)
        else:
            self.store(target, suffixed(path, "[*]"), None)

    def _through(self, target: Any, source: Any) -> None:
        """Elements seen through list(x), sorted(x), enumerate(x), zip(x, y): of x itself."""
        known = source.__class__ is ast.Call and source.func.__class__ is ast.Name
        name = source.func.id if known else ""
        args = [arg for arg in source.args if arg.__class__ is not ast.Starred] if known else []
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        if name == "range":
            self.store(target, "#int", None)
        elif name in COPIES and args:
            self._through(target, args[0])
        elif name == "enumerate" and args and len(parts) == 2:
            self.store(parts[0], "#int", None)
            self._through(parts[1], args[0])
        elif name == "zip" and len(parts) == len(args) == len(source.args):
            for part, arg in zip(parts, args, strict=True):
                self._through(part, arg)
        else:
            self.store(target, (plain(source) or "?") + "[*]", None)

    def _lambda(self, node: ast.Lambda) -> str:
        named = [*node.args.posonlyargs, *node.args.args]
        named = named[len(named) - len(node.args.defaults) :] + node.args.kwonlyargs
        for arg, default in zip(named, [*node.args.defaults, *node.args.kw_defaults], strict=True):
            if default is not None:  # `lambda r=request: …` is how loops hand a value to a callback
                self.bind(arg.arg, self.value(default), arg.lineno)
        outer, self.inside = self.inside, node.lineno
        self.value(node.body)
        self.inside = outer
        return "#lambda"

    def _walrus(self, node: ast.NamedExpr) -> str:
        path = self.value(node.value)
        self.store(node.target, path, node.value)
        return path

    def _starred(self, node: ast.Starred) -> str:
        return self.value(node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> str:
        path = "#none" if node.value is None else self.value(node.value)
        self.result("yield", suffixed(path, "[*]") if isinstance(node, ast.YieldFrom) else path, node)
        return "?"

    def other(self, node: ast.AST) -> str:
        """A kind of expression unknown here (newer Python): only its parts are visited."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.value(part)
        return "?"


class _Values(dict[type, Callable[[Expressions, Any], str]]):
    def __missing__(self, kind: type) -> Callable[[Expressions, Any], str]:
        return Expressions.other


_VALUES = _Values({
    ast.Name: Expressions._name, ast.Constant: Expressions._constant, ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript, ast.Slice: Expressions._slice, ast.Call: Expressions.call,
    ast.Await: Expressions._await, ast.BoolOp: Expressions._either, ast.IfExp: Expressions._ternary,
    ast.Compare: Expressions._compare, ast.BinOp: Expressions._binary, ast.UnaryOp: Expressions._unary,
    ast.List: Expressions._sequence, ast.Tuple: Expressions._sequence, ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dict, ast.JoinedStr: Expressions._fstring, ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension, ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension, ast.Lambda: Expressions._lambda, ast.NamedExpr: Expressions._walrus,
    ast.Starred: Expressions._starred, ast.Yield: Expressions._yield, ast.YieldFrom: Expressions._yield,
})  # fmt: skip
