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

from tracer.survey.facts import FileFacts, Import, Mark
from tracer.survey.python_define import Definitions
from tracer.survey.python_path import plain
from tracer.survey.python_text import Source, cut, decode, line_count

_HEAD = 160
_BY_LINE = attrgetter("line")


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


class Statements(Definitions):
    """Walks statements."""

    def body(self, statements: list[ast.stmt]) -> None:
        """Visit a block."""
        for statement in statements:
            self.last = statement.end_lineno or statement.lineno
            visit = _STATEMENTS.get(statement.__class__)
            if visit is not None:
                visit(self, statement)

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
        if node.value is None:
            self.mark("return", node)
        else:
            self.result("return", self.value(node.value), node)
            self.elements("return", node.value)

    def _raise(self, node: ast.Raise) -> None:
        self._jump(node)
        for part in (node.exc, node.cause):
            if part is not None:
                self.value(part)

    def _assert(self, node: ast.Assert) -> None:
        self._jump(node)
        self.tested(node.test)
        if node.msg is not None:
            self.value(node.msg)

    def _jump(self, node: ast.stmt) -> None:
        self.mark(node.__class__.__name__.lower(), node)

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
            self.header(node.test)
            self.tested(node.test)
            self.body(node.body)
            rest = node.orelse
            if len(rest) != 1 or not isinstance(rest[0], ast.If):
                break
            node = rest[0]  # `elif` nests: no recursion for long ladders
        self.body(rest)

    def _while(self, node: ast.While) -> None:
        self.header(node.test)
        self.tested(node.test)
        self.body(node.body)
        self.body(node.orelse)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self.header(node.iter)
        self.iterate(node.target, node.iter)
        self.body(node.body)
        self.body(node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            context = item.context_expr
            self.header(context)
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
        self.header(node.subject)
        subject = self.tested(node.subject)
        for case in node.cases:
            self.last = case.pattern.end_lineno or case.pattern.lineno
            self.test, self.test_text = node.subject, ""
            self.pattern(case.pattern, subject)
            self.test = None
            if case.guard is not None:
                self.tested(case.guard)
            self.body(case.body)


_STATEMENTS: dict[type, Callable[[Statements, Any], None]] = {
    ast.Expr: Statements._expression, ast.Assign: Statements._assign, ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented, ast.Delete: Statements._delete, ast.Return: Statements._return,
    ast.Raise: Statements._raise, ast.Assert: Statements._assert, ast.Break: Statements._jump,
    ast.Continue: Statements._jump, ast.Global: Statements._global, ast.Nonlocal: Statements._nonlocal,
    ast.Import: Statements._import, ast.ImportFrom: Statements._import_from, ast.If: Statements._if,
    ast.While: Statements._while, ast.For: Statements._for, ast.AsyncFor: Statements._for,
    ast.With: Statements._with, ast.AsyncWith: Statements._with, ast.Try: Statements._try,
    ast.TryStar: Statements._try, ast.Match: Statements._match, ast.ClassDef: Statements._class,
    ast.FunctionDef: Statements._function, ast.AsyncFunctionDef: Statements._function,
}  # fmt: skip
if hasattr(ast, "TypeAlias"):
    _STATEMENTS[ast.TypeAlias] = Statements._alias
