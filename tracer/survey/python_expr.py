"""Expressions of Python: takes a syntax node, makes its access path and the facts inside it (calls, reads, results).

Visiting returns the path and appends the facts in one pass. A path in flight may hold alternatives (`a or b`),
joined by SEP; whoever emits a fact emits one for each. Refuses to know statements and scopes' names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from tracer.survey.facts import Access, Arg, Bind, Call, Definition, Field, Import, Mark
from tracer.survey.ops import op_of_method
from tracer.survey.python_text import Source, literal, unquoted

SEP = "\x1f"  # between the alternatives of a path in flight: no source text in a path can hold it
_MOST_ALTERNATIVES = 6
_TEXT = 80
_VALUE = 160
_CONSTANTS: dict[type, str] = {
    str: "#str", int: "#int", float: "#float", bool: "#bool", type(None): "#none",
}  # fmt: skip


class _Operations(dict[str, str]):
    """Method name → access op, filled as names come."""

    def __missing__(self, name: str) -> str:
        op = self[name] = op_of_method(name, cpp=False)
        return op


_OPERATIONS = _Operations()


def suffixed(path: str, suffix: str) -> str:
    """The path, or each of its alternatives, with a suffix."""
    if SEP in path:
        return SEP.join([part + suffix for part in path.split(SEP)])
    return path + suffix


def best(path: str) -> str:
    """The alternative that says most: the first that is not a literal."""
    if SEP not in path:
        return path
    parts = path.split(SEP)
    return next((part for part in parts if part[:1] not in "#?"), parts[0])


def either(paths: Iterable[str]) -> str:
    """Several paths as one with alternatives."""
    parts = dict.fromkeys(part for path in paths for part in path.split(SEP))
    return SEP.join(list(parts)[:_MOST_ALTERNATIVES])


def index_suffix(index: ast.expr) -> str:
    """The suffix of a subscript: by constant, by anything; a slice has the type of the whole, so it adds nothing."""
    kind = index.__class__
    if kind is ast.Constant:
        key = index.value  # type: ignore[attr-defined]
        if key.__class__ is int:
            return f"[{key}]"
        if key.__class__ is str and len(key) <= 40 and key.isascii() and key.isprintable() and not set(key) & set("'[]"):
            return f"['{key}']"
        return "[]"
    if kind is ast.Slice:
        return ""
    if kind is ast.UnaryOp and isinstance(index.op, ast.USub) and isinstance(index.operand, ast.Constant):  # type: ignore[attr-defined]
        return f"[-{index.operand.value}]" if isinstance(index.operand.value, int) else "[]"  # type: ignore[attr-defined]
    return "[]"


def plain(node: ast.AST) -> str:
    """The path of a name, attribute, subscript or call without emitting facts; "" for anything else."""
    kind = node.__class__
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined,no-any-return]
    if kind is ast.Attribute:
        inner = plain(node.value)  # type: ignore[attr-defined]
        return f"{inner}.{node.attr}" if inner else ""  # type: ignore[attr-defined]
    if kind is ast.Subscript:
        inner = plain(node.value)  # type: ignore[attr-defined]
        return inner + index_suffix(node.slice) if inner else ""  # type: ignore[attr-defined]
    if kind is ast.Call:
        inner = plain(node.func)  # type: ignore[attr-defined]
        return inner + "()" if inner else ""
    if kind is ast.Await:
        return plain(node.value)  # type: ignore[attr-defined]
    return ""


class Expressions:
    """Walks expressions and keeps the facts of one file."""

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
        self.last = 0                          # last line of the statement at hand
        self.test: ast.expr | None = None      # the outermost test or comparison at hand
        self.test_text = ""
        self.modules: set[str] = set()         # names bound by `import x`: os.remove() changes no state of ours

    # What the statements' half knows better: scopes, results, targets.
    def bind(self, name: str, value: str, line: int, annotation: str = "") -> None:
        """A local name gets a value."""
        raise NotImplementedError

    def store(self, target: ast.expr, path: str, value: ast.expr | None) -> None:
        """An assignment target gets a value."""
        raise NotImplementedError

    def change(self, target: str, op: str, node: ast.expr, value: str, text: str) -> None:
        """State changes; one fact for each alternative of the target."""
        for part in target.split(SEP) if SEP in target else (target,):
            if part[:1] not in "#?":
                self.accesses.append(Access(self.scope, part, op, node.end_lineno or node.lineno, self.last, value, text))

    def set_attribute(self, target: str, owner: ast.expr, node: ast.expr, value: ast.expr, path: str) -> None:
        """`setattr(owner, "name", value)`; `target` is the whole path."""
        raise NotImplementedError

    # Dispatch.
    def value(self, node: ast.expr) -> str:
        """Visit an expression whose value is used: its path; reads and calls inside become facts."""
        return _VALUES[node.__class__](self, node)

    def chain(self, node: ast.expr) -> str:
        """Visit the inner part of a longer path: like `value`, but the part itself is no read."""
        kind = node.__class__
        if kind is ast.Name:
            return node.id  # type: ignore[attr-defined,no-any-return]
        if kind is ast.Attribute:
            return suffixed(self.chain(node.value), "." + node.attr)  # type: ignore[attr-defined]
        if kind is ast.Subscript:
            return self._element(node, self.chain(node.value))  # type: ignore[attr-defined,arg-type]
        return _VALUES[kind](self, node)

    def tested(self, node: ast.expr) -> str:
        """Visit a test: reads inside are marked and carry its text."""
        if self.test is not None:
            return _VALUES[node.__class__](self, node)
        self.test, self.test_text = node, ""
        path = _VALUES[node.__class__](self, node)
        self.test = None
        return path

    def read(self, path: str, node: ast.expr, compared: str = "") -> None:
        """Emit the read of an attribute path."""
        text = ""
        test = self.test
        if test is not None:
            text = self.test_text
            if not text:
                text = self.test_text = self.text(test, _VALUE)
        for part in path.split(SEP) if SEP in path else (path,):
            if part[0] not in "#?":
                self.accesses.append(
                    Access(self.scope, part, "read", node.end_lineno or 0, self.last, compared, text, test is not None)
                )

    # Paths.
    def _name(self, node: ast.Name) -> str:
        return node.id

    def _constant(self, node: ast.Constant) -> str:
        return _CONSTANTS.get(node.value.__class__, "?")

    def _attribute(self, node: ast.Attribute) -> str:
        inner = node.value
        base = inner.id if inner.__class__ is ast.Name else self.chain(inner)  # type: ignore[attr-defined]
        path = f"{base}.{node.attr}" if SEP not in base else suffixed(base, "." + node.attr)
        self.read(path, node)
        return path

    def _subscript(self, node: ast.Subscript) -> str:
        return self._element(node, _VALUES[node.value.__class__](self, node.value))

    def _element(self, node: ast.Subscript, base: str) -> str:
        index = node.slice
        kind = index.__class__
        if kind is ast.Name:
            return base + "[]" if SEP not in base else suffixed(base, "[]")
        if kind is not ast.Constant:
            _VALUES[kind](self, index)
        suffix = index_suffix(index)
        if base.endswith("()") and base in _COPIES and node.value.__class__ is ast.Call and node.value.args:  # type: ignore[attr-defined]
            inner = plain(node.value.args[0])  # type: ignore[attr-defined]
            if inner:
                return inner + "[*]" if suffix else inner
        return suffixed(base, suffix) if suffix else base

    def _slice(self, node: ast.Slice) -> str:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                _VALUES[part.__class__](self, part)
        return "?"

    # Calls.
    def call(self, node: ast.Call, how: str = "") -> str:
        """Visit a call: the Call, the change its name says, and the path of its result."""
        func = node.func
        kind = func.__class__
        op = receiver = ""
        if kind is ast.Name:
            callee: str = func.id  # type: ignore[attr-defined]
        elif kind is ast.Attribute:
            inner = func.value  # type: ignore[attr-defined]
            receiver = inner.id if inner.__class__ is ast.Name else self.chain(inner)
            name = func.attr  # type: ignore[attr-defined]
            callee = f"{receiver}.{name}" if SEP not in receiver else suffixed(receiver, "." + name)
            op = _OPERATIONS[name]
        else:
            callee = self.chain(func)
        args: tuple[Arg, ...] = ()
        if node.args or node.keywords:
            args = self._arguments(node)
        if op and receiver not in self.modules:
            text = ""
            if args:
                parts: list[Any] = [*node.args, *node.keywords]
                text = self.text(parts[0], _VALUE) if len(parts) == 1 else self.source.between(parts[0], parts[-1], _VALUE)
            self.change(receiver, op, func.value, args[0].path if args else "", text)  # type: ignore[attr-defined]
        if SEP in callee:
            for part in callee.split(SEP):
                self.calls.append(Call(self.scope, part, node.lineno, node.end_lineno or 0, args, how))
            return suffixed(callee, "()")
        self.calls.append(Call(self.scope, callee, node.lineno, node.end_lineno or 0, args, how))
        special = _SPECIAL.get(callee)
        if special is not None:
            path = special(self, node, args)
            if path:
                return path
        return callee + "()"

    def _arguments(self, node: ast.Call) -> tuple[Arg, ...]:
        found: list[Arg] = []
        for arg in node.args:
            kind = arg.__class__
            if kind is ast.Name:
                name: str = arg.id  # type: ignore[attr-defined]
                found.append(Arg("", name, name))
            elif kind is ast.Starred:
                found.append(Arg("*", best(self.value(arg)), self.text(arg, _TEXT)))
            else:
                found.append(self._argument("", arg))
        for keyword in node.keywords:
            found.append(self._argument(keyword.arg or "**", keyword.value))
        return tuple(found)

    def _argument(self, keyword: str, arg: ast.expr) -> Arg:
        kind = arg.__class__
        if kind is ast.Constant and arg.value.__class__ is str:  # type: ignore[attr-defined]
            return Arg(keyword, "#str", literal(arg.value, _TEXT))  # type: ignore[attr-defined]
        path = best(_VALUES[kind](self, arg))
        text = self.text(arg, _TEXT)
        return Arg(keyword, path, unquoted(text) if kind is ast.JoinedStr else text)

    def _await(self, node: ast.Await) -> str:
        inner = node.value
        return self.call(inner, "await") if isinstance(inner, ast.Call) else self.value(inner)

    # Alternatives, tests, operators.
    def _either(self, node: ast.BoolOp) -> str:
        paths = [self.value(part) for part in node.values]
        return either(paths) if isinstance(node.op, ast.Or) else paths[-1]

    def _ternary(self, node: ast.IfExp) -> str:
        self.tested(node.test)
        return either((self.value(node.body), self.value(node.orelse)))

    def _compare(self, node: ast.Compare) -> str:
        outermost = self.test is None
        if outermost:
            self.test, self.test_text = node, ""
        operands = [node.left, *node.comparators]
        paths: list[str] = []
        for operand in operands:
            kind = operand.__class__
            paths.append(self.chain(operand) if kind is ast.Attribute or kind is ast.Subscript else self.value(operand))
        for place, operand in enumerate(operands):
            path = paths[place]
            while operand.__class__ is ast.Subscript:
                if operand.slice.__class__ is not ast.Slice and path.endswith("]"):  # type: ignore[attr-defined]
                    path = SEP.join([part[: part.rindex("[")] for part in path.split(SEP)])
                operand = operand.value  # type: ignore[attr-defined]
            if operand.__class__ is ast.Attribute:
                self.read(path, operand, best(paths[place - 1 if place else 1]))
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
            other = self.value(rights.pop())
            path = path if path in _SURE or not (path := other) in _SURE else path
        return path if path in _SURE else "?"

    def _unary(self, node: ast.UnaryOp) -> str:
        path = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return "#bool"
        return path if path in ("#int", "#float") else "?"

    # Values with parts.
    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> str:
        for part in node.elts:
            if part.__class__ is not ast.Constant:
                _VALUES[part.__class__](self, part)
        return _DISPLAYS[node.__class__]

    def _dict(self, node: ast.Dict) -> str:
        for key, item in zip(node.keys, node.values, strict=True):
            if key is not None and key.__class__ is not ast.Constant:
                _VALUES[key.__class__](self, key)
            if item.__class__ is not ast.Constant:
                _VALUES[item.__class__](self, item)
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
            self.value(node.key)
            self.value(node.value)
        else:
            self.value(node.elt)
        return _DISPLAYS[node.__class__]

    def iterate(self, target: ast.expr, source: ast.expr) -> None:
        """`for target in source`: visits the source and gives the target its element."""
        path = self.value(source)
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id in _ITERATES:
            self._through(target, source)
        else:
            self.store(target, suffixed(path, "[*]"), None)

    def _through(self, target: ast.expr, source: ast.expr) -> None:
        """Elements seen through list(x), sorted(x), enumerate(x), zip(x, y): of x itself."""
        name = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
        args = source.args if isinstance(source, ast.Call) else []
        inner = args[0] if args and args[0].__class__ is not ast.Starred else None
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        if name == "range":
            self.store(target, "#int", None)
        elif name + "()" in _COPIES and inner is not None:
            self._through(target, inner)
        elif name == "enumerate" and inner is not None and len(parts) == 2:
            self.store(parts[0], "#int", None)
            self._through(parts[1], inner)
        elif name == "zip" and len(parts) == len(args) and not any(isinstance(arg, ast.Starred) for arg in args):
            for part, arg in zip(parts, args, strict=True):
                self._through(part, arg)
        else:
            self.store(target, (plain(source) or "?") + "[*]", None)

    def _lambda(self, node: ast.Lambda) -> str:
        named = [*node.args.posonlyargs, *node.args.args]
        defaults = node.args.defaults
        pairs = [*zip(named[len(named) - len(defaults) :], defaults, strict=True)]
        pairs += [(arg, default) for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if default]
        for arg, default in pairs:  # `lambda r=request: …` is how loops hand a value to a callback
            self.bind(arg.arg, self.value(default), arg.lineno)
        self.value(node.body)
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

    def result(self, kind: str, path: str, node: ast.expr | ast.stmt) -> None:
        """A function's result: the mark and the value."""
        self.marks.append(Mark(self.scope, kind, node.lineno, node.end_lineno or 0, self.text(node, _VALUE)))
        if path:
            self.bind(kind, path, node.lineno)

    def other(self, node: ast.AST) -> str:
        """A kind of expression unknown here (newer Python): only its parts are visited."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.value(part)
        return "?"

    # Calls with a meaning of their own: each returns the path of the result, "" for the usual one.
    def _cast(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        return f"<{self.source.annotation(node.args[0])}>" if len(node.args) == 2 else ""

    def _getattr(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        if len(args) < 2 or args[1].path != "#str" or not args[1].text.isidentifier():
            return ""
        path = f"{args[0].path}.{args[1].text}"
        self.read(path, node)
        return path if len(args) == 2 else either((path, args[2].path))

    def _setattr(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        if len(node.args) == 3 and args[1].path == "#str" and args[1].text.isidentifier():
            self.set_attribute(f"{args[0].path}.{args[1].text}", node.args[0], node, node.args[2], args[2].path)
        return ""

    def _delattr(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        if len(args) == 2 and args[1].path == "#str" and args[1].text.isidentifier():
            self.change(f"{args[0].path}.{args[1].text}", "remove", node, "", "")
        return ""

    def _first_itself(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        return args[0].path if args and not args[0].keyword else ""

    def _class_of(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        return args[0].path + ".__class__" if len(args) == 1 else ""

    def _element_of(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        if not node.args or len(node.args) > 1 and isinstance(node.func, ast.Name) and node.func.id != "next":
            return ""
        first = node.args[0]
        if isinstance(first, ast.Call) and isinstance(first.func, ast.Name) and first.func.id + "()" in _COPIES:
            return (plain(first.args[0]) or "?") + "[*]" if first.args else ""
        return args[0].path + "[*]" if args[0].path[0] not in "#?" else ""

    def _heap_push(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        if len(node.args) >= 2:
            self.change(args[0].path, "insert", node.args[0], args[1].path, self.text(node.args[1], _VALUE))
        return ""

    def _heap_pop(self, node: ast.Call, args: tuple[Arg, ...]) -> str:
        if not node.args:
            return ""
        self.change(args[0].path, "remove", node.args[0], "", "")
        return args[0].path + "[*]"


class _Values(dict[type, Callable[[Expressions, Any], str]]):
    def __missing__(self, kind: type) -> Callable[[Expressions, Any], str]:
        return Expressions.other


_SURE = frozenset({"#str", "#list"})  # one such operand decides the type of `+`, `*`, `%`
_COPIES = frozenset({"list()", "sorted()", "tuple()", "set()", "frozenset()", "reversed()", "iter()"})
_ITERATES = frozenset({path[:-2] for path in _COPIES} | {"enumerate", "zip", "range"})
_DISPLAYS: dict[type, str] = {
    ast.List: "#list", ast.Tuple: "#tuple", ast.Set: "#set", ast.ListComp: "#list", ast.SetComp: "#set",
    ast.DictComp: "#dict", ast.GeneratorExp: "?",
}  # fmt: skip
_SPECIAL: dict[str, Callable[[Expressions, ast.Call, tuple[Arg, ...]], str]] = {
    "cast": Expressions._cast, "typing.cast": Expressions._cast,
    "getattr": Expressions._getattr, "setattr": Expressions._setattr, "object.__setattr__": Expressions._setattr,
    "delattr": Expressions._delattr, "object.__delattr__": Expressions._delattr,
    "partial": Expressions._first_itself, "functools.partial": Expressions._first_itself,
    "type": Expressions._class_of, "next": Expressions._element_of, "min": Expressions._element_of,
    "max": Expressions._element_of, "heappush": Expressions._heap_push, "heapq.heappush": Expressions._heap_push,
    "heappop": Expressions._heap_pop, "heapq.heappop": Expressions._heap_pop,
    "insort": Expressions._heap_push, "bisect.insort": Expressions._heap_push,
}  # fmt: skip
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
