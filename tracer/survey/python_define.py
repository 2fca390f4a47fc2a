"""Definitions of Python: takes class, function and type statements, makes Definition facts around their bodies.

Decorators, defaults and base calls are facts of the enclosing scope. Refuses to know other statements.
"""

from __future__ import annotations

import ast
from typing import Any

from tracer.survey.facts import Call, Definition, Param
from tracer.survey.python_frame import Frame
from tracer.survey.python_match import Patterns
from tracer.survey.python_path import best, plain

_HEAD = 160
_PENDING = Definition("", "function", 0, 0, 0)
_FLAGS = {
    "abstractmethod": ("abstract",), "abstractproperty": ("abstract", "property"),
    "abstractclassmethod": ("abstract", "classmethod"), "abstractstaticmethod": ("abstract", "static"),
    "staticmethod": ("static",), "classmethod": ("classmethod",), "property": ("property",),
    "cached_property": ("property",), "override": ("override",),
    "setter": ("property",), "deleter": ("property",), "getter": ("property",),
}  # fmt: skip
_FLAG_ORDER = ("async", "generator", "abstract", "static", "classmethod", "property", "override")


class Definitions(Patterns):
    """Patterns plus what classes and functions are."""

    def body(self, statements: list[ast.stmt]) -> None:
        """Visit a block; the half that knows statements does it."""
        raise NotImplementedError

    def header(self, node: ast.expr) -> None:
        """What follows is the head of a block: its last line is its own."""
        self.last = node.end_lineno or node.lineno

    def _decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> tuple[str, ...]:
        texts: list[str] = []
        for decorator in node.decorator_list:
            self.header(decorator)
            if isinstance(decorator, ast.Call):
                self.call(decorator, "decorator")
            else:
                line, last = decorator.lineno, decorator.end_lineno or decorator.lineno
                self.calls.append(Call(self.scope, best(self.chain(decorator)), line, last, (), "decorator"))
            texts.append(self.text(decorator, _HEAD))
        return tuple(texts)

    def _enter(self, kind: str, name: str) -> Frame:
        outer = self.frame
        self.scope = len(self.definitions)
        self.frame = Frame(kind, self.scope, f"{outer.prefix}{name}.", outer)
        self.definitions.append(_PENDING)  # keeps its place in source order until its body is known
        return self.frame

    def _leave(self, definition: Definition) -> None:
        self.definitions[self.scope] = definition
        outer = self.frame.outer
        if outer is not None:
            self.frame = outer
            self.scope = outer.scope

    def _class(self, node: ast.ClassDef) -> None:
        decorators = self._decorators(node)
        for base in (*node.bases, *[keyword.value for keyword in node.keywords]):
            if isinstance(base, ast.Call):  # class A(make_base(x)); plain bases are no reads
                self.value(base)
        bases = tuple(self.source.annotation(base) for base in node.bases)
        names = [base.partition("[")[0] for base in bases]
        kind = "enum" if any(name.endswith(("Enum", "Flag")) for name in names) else "class"
        metaclasses = [plain(keyword.value) for keyword in node.keywords if keyword.arg == "metaclass"]
        abstract = any(name.rpartition(".")[2] in ("ABC", "ABCMeta") for name in names + metaclasses)
        parent, prefix = self.scope, self.frame.prefix
        self._enter(kind, node.name)
        self.body(node.body)
        first, last = _extent(node)
        flags = ("abstract",) if abstract else ()
        self._leave(
            Definition(prefix + node.name, kind, node.lineno, first, last, parent, bases, (), "", decorators, flags)
        )

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = self._decorators(node)
        params = self._params(node.args)
        flags = {flag for text in decorators for flag in _FLAGS.get(text.partition("(")[0].rpartition(".")[2], ())}
        parent, prefix, outer = self.scope, self.frame.prefix, self.frame
        frame = self._enter("function", node.name)
        frame.names = {param.name: "" for param in params}
        if outer.kind != "function":
            if outer.kind != "module":
                frame.owner = outer.scope
                frame.initial = node.name in ("__init__", "__post_init__")
                frame.self = params[0].name if params and "static" not in flags and not params[0].kind else ""
        else:
            frame.owner, frame.self = outer.owner, outer.self
        self.body(node.body)
        if isinstance(node, ast.AsyncFunctionDef):
            flags.add("async")
        if frame.generator:
            flags.add("generator")
        first, last = _extent(node)
        ordered = tuple(flag for flag in _FLAG_ORDER if flag in flags)
        returns = self.source.annotation(node.returns)
        name = prefix + node.name
        self._leave(
            Definition(name, "function", node.lineno, first, last, parent, (), params, returns, decorators, ordered)
        )

    def _params(self, arguments: ast.arguments) -> tuple[Param, ...]:
        annotation = self.source.annotation
        params: list[Param] = []
        named = [*arguments.posonlyargs, *arguments.args]
        bare = len(named) - len(arguments.defaults)
        for place, arg in enumerate(named):
            default = self._default(arguments.defaults[place - bare]) if place >= bare else ""
            params.append(Param(arg.arg, annotation(arg.annotation), default))
        if arguments.vararg is not None:
            params.append(Param(arguments.vararg.arg, annotation(arguments.vararg.annotation), "", "*"))
        for arg, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            params.append(Param(arg.arg, annotation(arg.annotation), "" if value is None else self._default(value)))
        if arguments.kwarg is not None:
            params.append(Param(arguments.kwarg.arg, annotation(arguments.kwarg.annotation), "", "**"))
        return tuple(params)

    def _default(self, node: ast.expr) -> str:
        self.header(node)
        return best(self.value(node))

    def _alias(self, node: Any) -> None:
        """`type X = …` (Python 3.12)."""
        name = self.frame.prefix + node.name.id
        last = node.end_lineno or node.lineno
        aliased = self.source.annotation(node.value)
        self.definitions.append(
            Definition(name, "alias", node.lineno, node.lineno, last, self.scope, (), (), aliased)
        )


def _extent(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> tuple[int, int]:
    """First line, decorators included, and last line."""
    first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
    return first, node.end_lineno or node.lineno
