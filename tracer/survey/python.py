"""The survey of Python: takes a file's bytes, makes its FileFacts with one `ast.parse` and one walk.

Names are the file's own; what they resolve to in other files is the graph's business. Never imports or runs
anything of the source. A file that cannot be parsed gives facts with a `problem`.
"""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from tracer.survey.facts import Call, Definition, FileFacts, Import, Mark, Param
from tracer.survey.python_expr import best, plain, suffixed
from tracer.survey.python_state import Frame, Stores
from tracer.survey.python_text import Source, cut, decode, line_count

_HEAD = 160
_PENDING = Definition("", "function", 0, 0, 0)
_BY_LINE = attrgetter("line")
_FLAGS = {
    "abstractmethod": ("abstract",), "abstractproperty": ("abstract", "property"),
    "abstractclassmethod": ("abstract", "classmethod"), "abstractstaticmethod": ("abstract", "static"),
    "staticmethod": ("static",), "classmethod": ("classmethod",), "property": ("property",),
    "cached_property": ("property",), "override": ("override",),
    "setter": ("property",), "deleter": ("property",), "getter": ("property",),
}  # fmt: skip
_FLAG_ORDER = ("async", "generator", "abstract", "static", "classmethod", "property", "override")


def survey_python(source: bytes) -> FileFacts:
    """All facts of one file, in source order; `problem` says in one line why there are none."""
    lines = source.count(b"\n") + (1 if source and not source.endswith(b"\n") else 0)
    collecting = gc.isenabled()
    gc.disable()  # syntax trees are freed by reference counts; collections would only re-scan them
    try:
        text = decode(source)
        lines = line_count(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes are the engine's business
            tree = ast.parse(text)
        statements = Statements(Source(text))
        statements.body(tree.body)
    except SyntaxError as error:
        return FileFacts("python", lines, _one_line(f"line {error.lineno}: {error.msg}" if error.lineno else error.msg))
    except UnicodeDecodeError as error:
        return FileFacts("python", lines, _one_line(f"not {error.encoding}: {error.reason} at byte {error.start}"))
    except (RecursionError, MemoryError):
        return FileFacts("python", lines, "nested too deeply")
    except (ValueError, LookupError) as error:
        return FileFacts("python", lines, _one_line(str(error)))
    finally:
        if collecting:
            gc.enable()
    return FileFacts(
        "python",
        lines,
        "",
        tuple(statements.imports),
        tuple(statements.definitions),
        tuple(sorted(statements.fields, key=_BY_LINE)),
        tuple(sorted(statements.binds, key=_BY_LINE)),
        tuple(sorted(statements.accesses, key=_BY_LINE)),
        tuple(sorted(statements.calls, key=_BY_LINE)),
        tuple(sorted(statements.marks, key=_BY_LINE)),
    )


def _one_line(message: str) -> str:
    return cut(" ".join(message.encode("utf-8", "backslashreplace").decode("utf-8").split()), 200)


class Statements(Stores):
    """Walks statements."""

    def body(self, statements: list[ast.stmt]) -> None:
        """Visit a block."""
        for statement in statements:
            self.last = statement.end_lineno or statement.lineno
            visit = _STATEMENTS.get(statement.__class__)
            if visit is not None:
                visit(self, statement)

    def _header(self, node: ast.expr) -> None:
        """What follows is the head of a block: its last line is its own."""
        self.last = node.end_lineno or node.lineno

    # Simple statements.
    def _expression(self, node: ast.Expr) -> None:
        inner = node.value
        if isinstance(inner, ast.Call):
            self.call(inner, "statement")
        elif inner.__class__ is not ast.Constant:
            self.value(inner)

    def _assign(self, node: ast.Assign) -> None:
        value = node.value
        path = self.value(value)
        targets = node.targets
        for target in targets:
            self.assign(target, path, value)
        if len(targets) > 1:  # `self.f = f = …`: the name stands for the field
            states = [state for state in map(plain, targets) if "." in state or "[" in state]
            for target in targets:
                if isinstance(target, ast.Name) and self.frame.kind == "function":
                    for state in states:
                        self.bind(target.id, state, target.lineno)

    def _annotated(self, node: ast.AnnAssign) -> None:
        path = "" if node.value is None else self.value(node.value)
        self.assign(node.target, path, node.value, self.source.annotation(node.annotation))

    def _augmented(self, node: ast.AugAssign) -> None:
        self.augment(node.target, node.op, node.value, self.value(node.value))

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.delete(target)

    def _return(self, node: ast.Return) -> None:
        self.result("return", "" if node.value is None else self.value(node.value), node)

    def _raise(self, node: ast.Raise) -> None:
        self._mark(node)
        for part in (node.exc, node.cause):
            if part is not None:
                self.value(part)

    def _assert(self, node: ast.Assert) -> None:
        self._mark(node)
        self.tested(node.test)
        if node.msg is not None:
            self.value(node.msg)

    def _mark(self, node: ast.stmt) -> None:
        kind = node.__class__.__name__.lower()
        self.marks.append(Mark(self.scope, kind, node.lineno, node.end_lineno or 0, self.text(node, _HEAD)))

    def _global(self, node: ast.Global) -> None:
        for name in node.names:
            self.frame.elsewhere[name] = -1

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            frame = nearest = self.frame.outer
            while frame is not None and not (frame.kind == "function" and name in frame.names):
                frame = frame.outer
            found = frame or nearest
            if found is not None:
                self.frame.elsewhere[name] = found.elsewhere.get(name, found.scope)

    def _import(self, node: ast.Import) -> None:
        for name in node.names:
            alias = name.asname or name.name.partition(".")[0]
            self.modules.add(alias)
            self.imports.append(Import(self.scope, alias, name.name, "", 0, node.lineno))

    def _import_from(self, node: ast.ImportFrom) -> None:
        for name in node.names:
            alias = name.asname or name.name
            self.imports.append(Import(self.scope, alias, node.module or "", name.name, node.level, node.lineno))

    # Blocks.
    def _if(self, node: ast.If) -> None:
        while True:
            self._header(node.test)
            self.tested(node.test)
            self.body(node.body)
            rest = node.orelse
            if len(rest) != 1 or not isinstance(rest[0], ast.If):
                break
            node = rest[0]  # `elif` nests: no recursion for long ladders
        self.body(rest)

    def _while(self, node: ast.While) -> None:
        self._header(node.test)
        self.tested(node.test)
        self.body(node.body)
        self.body(node.orelse)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self._header(node.iter)
        self.iterate(node.target, node.iter)
        self.body(node.body)
        self.body(node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            context = item.context_expr
            self._header(context)
            path = self.call(context, "with") if isinstance(context, ast.Call) else self.value(context)
            if item.optional_vars is not None:
                self.store(item.optional_vars, path, None)
        self.body(node.body)

    def _try(self, node: Any) -> None:
        self.body(node.body)
        star = "*" if node.__class__.__name__ == "TryStar" else ""
        for handler in node.handlers:
            self._handler(handler, star)
        self.body(node.orelse)
        self.body(node.finalbody)

    def _handler(self, node: ast.ExceptHandler, star: str) -> None:
        head = f"except{star}"
        if node.type is not None:
            head += " " + self.text(node.type, _HEAD - 20)
            if node.name:
                head += f" as {node.name}"
                types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                for part in types:
                    self.bind(node.name, f"<{self.text(part, _HEAD)}>", node.lineno)
        self.marks.append(Mark(self.scope, "except", node.lineno, node.end_lineno or 0, head))
        self.body(node.body)

    def _match(self, node: ast.Match) -> None:
        self._header(node.subject)
        subject = self.tested(node.subject)
        for case in node.cases:
            self.last = case.pattern.end_lineno or case.pattern.lineno
            self.test, self.test_text = node.subject, ""
            self._pattern(case.pattern, subject)
            self.test = None
            if case.guard is not None:
                self.tested(case.guard)
            self.body(case.body)

    def _pattern(self, node: ast.pattern, subject: str) -> None:
        line = node.lineno
        if isinstance(node, ast.MatchValue):
            if isinstance(node.value, ast.Attribute):
                self.read(self.chain(node.value), node.value, best(subject))
        elif isinstance(node, ast.MatchAs):
            if node.pattern is not None:
                self._pattern(node.pattern, subject)
                if isinstance(node.pattern, ast.MatchClass):
                    subject = f"<{self.text(node.pattern.cls, _HEAD)}>"
            if node.name:
                self.bind(node.name, subject, line)
        elif isinstance(node, ast.MatchStar):
            if node.name:
                self.bind(node.name, subject, line)
        elif isinstance(node, ast.MatchSequence):
            for place, part in enumerate(node.patterns):
                self._pattern(part, subject if isinstance(part, ast.MatchStar) else suffixed(subject, f"[{place}]"))
        elif isinstance(node, ast.MatchMapping):
            for part in node.patterns:
                self._pattern(part, suffixed(subject, "[]"))
            if node.rest:
                self.bind(node.rest, subject, line)
        elif isinstance(node, ast.MatchClass):
            kind = f"<{self.text(node.cls, _HEAD)}>"
            for part in node.patterns:
                self._pattern(part, "?")
            for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
                self._pattern(part, f"{kind}.{name}")
        elif isinstance(node, ast.MatchOr):
            for part in node.patterns:
                self._pattern(part, subject)

    # Definitions.
    def _decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> tuple[str, ...]:
        texts: list[str] = []
        for decorator in node.decorator_list:
            self._header(decorator)
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
        self._header(node)
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


_STATEMENTS: dict[type, Callable[[Statements, Any], None]] = {
    ast.Expr: Statements._expression, ast.Assign: Statements._assign, ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented, ast.Delete: Statements._delete, ast.Return: Statements._return,
    ast.Raise: Statements._raise, ast.Assert: Statements._assert, ast.Break: Statements._mark,
    ast.Continue: Statements._mark, ast.Global: Statements._global, ast.Nonlocal: Statements._nonlocal,
    ast.Import: Statements._import, ast.ImportFrom: Statements._import_from, ast.If: Statements._if,
    ast.While: Statements._while, ast.For: Statements._for, ast.AsyncFor: Statements._for,
    ast.With: Statements._with, ast.AsyncWith: Statements._with, ast.Try: Statements._try,
    ast.TryStar: Statements._try, ast.Match: Statements._match, ast.ClassDef: Statements._class,
    ast.FunctionDef: Statements._function, ast.AsyncFunctionDef: Statements._function,
}  # fmt: skip
if hasattr(ast, "TypeAlias"):
    _STATEMENTS[ast.TypeAlias] = Statements._alias
