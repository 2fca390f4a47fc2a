"""The call graph of a small program: its entry is run first, then whatever no call reached, as a library would be."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from tracer.errors import SourceParseError
from tracer.graph.values.attributes import Attributes
from tracer.graph.values.calls import Calls
from tracer.graph.values.classes import Classes
from tracer.graph.values.domain import NOTHING, UNKNOWN, Arguments, Descriptor, Frame, Function, Values, one
from tracer.graph.values.expressions import Expressions
from tracer.graph.values.imports import Imports
from tracer.graph.values.library import Library
from tracer.graph.values.scopes import Scopes
from tracer.graph.values.sources import Sources
from tracer.graph.values.statements import Statements

NESTED = 20_000  # Python frames; what is analysed may be nested deeper than we usually are


class Flow(Calls, Classes, Attributes, Library, Imports, Statements, Expressions, Scopes):
    """All parts together."""

    def run_entry(self) -> None:
        """Run the entry module and what it reaches."""
        self.load(self.sources.name_of(self.sources.entry))
        self.drain()

    def run_rest(self) -> None:
        """Run each function that no call reached, with arguments that are not known, in the order of definition."""
        self.reached = False
        started = {f.node for f in self.functions if self.runs[f.node]}
        rest: dict[Function, None] = {}
        while True:
            found = [f for f in self.functions if f.node not in started]
            if not found:
                break
            for function in found:
                if function.node not in started and not _replaced(function):
                    started.add(function.node)
                    rest[function] = None
                    self._run_unreached(function)
            started |= {f.node for f in found} | {f.node for f in self.functions if self.runs[f.node]}
        for function in rest:  # once more: any of them may have set what another one calls
            self._run_unreached(function)
        self.drain()

    def _run_unreached(self, function: Function) -> None:
        mark = self.store.mark()
        inner = self.value(
            ("unreached", function), lambda: Frame("function", function.name, function.name, function.frame)
        )
        inner.nesting = 1
        given = Arguments(rest=UNKNOWN, rest_keywords=UNKNOWN)
        receivers = self._receivers(function)
        if receivers:
            given.positional.append(receivers)
        for name, values in self.bound(function, given, inner).items():
            self.store.write(inner, name, values)
        self.run(function, inner)
        self.store.redo(self.store.undo(mark), weakly=True)

    def _receivers(self, function: Function) -> Values | None:
        """What a method is called on, if it is one."""
        klass = function.frame.klass if function.frame.kind == "class" else None
        if klass is None:
            return None
        for values in klass.fields.values():
            for value in values or ():
                if isinstance(value, Descriptor) and function in value.inner:
                    if value.kind == "staticmethod":
                        return None
                    if value.kind == "classmethod":
                        return one(klass)
        if function.name.endswith((".__new__", ".__init_subclass__", ".__class_getitem__")):
            return one(klass)
        return self.some_instances(klass)


def _replaced(function: Function) -> bool:
    """Whether the name of a function has become another one before anything called it."""
    if isinstance(function.node, ast.Lambda) or function.node.decorator_list:
        return False
    now = function.frame.fields.get(function.node.name) or NOTHING
    return function not in now and any(isinstance(v, Function) and v.name == function.name for v in now)


def adjacency(root: Path, entry: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Whom each function, module and class body calls, and the modules that could not be read, with the reason.

    Takes the program's folder and its first file. Names are dotted from `root`; what lies outside keeps the name it is
    imported by, built-in functions are `<builtin>.name`. Raises TracerError where the entry cannot be read.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(NESTED)
    try:
        flow = Flow(Sources(root, entry))
        flow.run_entry()
        flow.run_rest()
    except RecursionError as error:
        raise SourceParseError("nests too deep to be followed", where=str(entry), todo="analyse a part") from error
    finally:
        sys.setrecursionlimit(before)
    names = {*flow.modules, *(f.name for f in flow.functions), *flow.edges}
    return {name: sorted(flow.edges.get(name, ())) for name in sorted(names)}, dict(sorted(flow.sources.unread.items()))
