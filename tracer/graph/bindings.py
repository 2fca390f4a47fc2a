"""Bindings: a Python call that runs native code, joined by the name under which the native code gives it out.

`.def("n", &C::f)` of pybind11, `ops.impl("n", …)` of PyTorch, and operators that Python itself registers by name. A
call takes that way when nothing in Python answers it, or when its object's class takes in methods at run time.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import msgspec

from tracer.graph.calls import COMMON
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Arg, Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

DEFINERS = ("def", "impl", "def_static", "m_impl")
OPERATORS = "torch.ops."
MANY = 8  # things that run under one name
Crossing = tuple[Sym, Sym | str, str, Basis, int, int]


class Bindings:
    """Finds the native side of Python calls in one world."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world, self.types = uses, uses.world, uses.types

    def out_of(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        """What `call`, in function `source`, runs beyond the border, or hands to whom it calls to be run."""
        if not self.world.view(number).python:
            return
        yield from self._run(number, call, source)
        for arg in call.args:
            if "." in arg.path and arg.path[0] not in "#?<" and last_part(arg.path) in self.names:
                yield from self._run(number, msgspec.structs.replace(call, callee=arg.path, args=()), source)

    def _run(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        items = parts(call.callee)
        name = items[-1].lstrip(".")
        if len(items) < 2 or not (name in self.names or name in self.operators):
            return
        operator = call.callee.startswith(OPERATORS)
        if not operator and not self._beyond(number, call, items):
            return
        for target in (*self.names.get(name, ()), *(self.operators.get(name, ()) if operator else ())):
            yield source, target, "binding", "declared", number, call.line

    def _beyond(self, number: int, call: Call, items: tuple[str, ...]) -> bool:
        """Whether nothing in Python answers the call, or its object may have got the method at run time."""
        receivers = self.types.of(number, call.scope, join(items[:-1]))
        if not receivers:
            return items[-1][1:] not in COMMON and not self._answered(number, call)
        if any(isinstance(r.ref, Sym) and r.kind == "obj" and self._open(r.ref) for r in receivers):
            return True
        native = any(isinstance(r.ref, str) and r.ref.split(".")[0] in self._own for r in receivers)
        return native and not self._answered(number, call)

    def _answered(self, number: int, call: Call) -> bool:
        found = self.uses.calls.targets(number, call)
        return any(isinstance(t.to, Sym) and t.basis != "by_name" for t in found)

    @functools.cached_property
    def _own(self) -> frozenset[str]:
        """The top-level packages of the world: a name below them that is no module may be native."""
        return frozenset(name.split(".")[0] for name in self.world.modules)

    @kept
    def _open(self, cls: Sym) -> bool:
        """Whether the class sets attributes of itself by computed names: `setattr(self, name, native)`."""
        for c in self.world.mro(cls):
            view = self.world.view(c.file)
            for call in view.facts.calls if view.python else ():
                if call.callee == "setattr" and len(call.args) == 3 and call.args[0].path == "self":
                    owner = self.world.owner(Sym(c.file, self.world.function_of(c.file, call.scope)))
                    if owner == c and call.args[1].path != "#str":
                        return True
        return False

    @functools.cached_property
    def names(self) -> dict[str, tuple[Sym, ...]]:
        """Names that native code gives to Python → what runs."""
        out: dict[str, list[Sym]] = {}
        for name in DEFINERS:
            for number in self.world.files_with("c", name):
                for call in self.world.view(number).facts.calls:
                    if last_part(call.callee.rsplit(".", 1)[-1]) == name and call.args and call.args[0].path == "#str":
                        bound = call.args[0].text.split("(")[0].split("::")[-1].strip("\"' ")
                        out.setdefault(bound, []).extend(self._runs(number, call))
        return {k: tuple(dict.fromkeys(v))[:MANY] for k, v in out.items() if v}

    @functools.cached_property
    def operators(self) -> dict[str, tuple[Sym, ...]]:
        """Operators that Python registers by name, with a function: `register_custom_op("n", fn)`."""
        out: dict[str, list[Sym]] = {}
        for name in sorted(n for n in self.world.names("c") if "register" in n and "op" in n):
            for number in self.world.files_with("c", name):
                for call in self.world.view(number).facts.calls:
                    if last_part(call.callee) != name or not any(a.path == "#str" for a in call.args):
                        continue
                    bound = next(a.text for a in call.args if a.path == "#str").split("(")[0].split("::")[-1]
                    out.setdefault(bound, []).extend(f for a in call.args for f in self._functions(number, call, a))
        return {k: tuple(dict.fromkeys(v))[:MANY] for k, v in out.items() if v}

    @functools.cached_property
    def _given_as(self) -> dict[Sym, tuple[str, ...]]:
        """What runs → the names under which it is given to Python."""
        out: dict[Sym, list[str]] = {}
        for name, syms in self.names.items():
            for sym in syms:
                out.setdefault(sym, []).append(name)
        return {k: tuple(v) for k, v in out.items()}

    @kept
    def callers(self, sym: Sym) -> tuple[Sym, ...]:
        """The Python functions that run a native one through a binding."""
        out: dict[Sym, None] = {}
        for name in self._given_as.get(sym, ()):
            for number in self.world.files_with("c", name):
                view = self.world.view(number)
                if view.python and not self.world.context(number):
                    for call in view.called.get(name, ()):
                        source = Sym(number, self.world.function_of(number, call.scope))
                        if any(c[1] == sym for c in self.out_of(number, call, source)):
                            out[source] = None
        return tuple(out)

    def given(self, number: int) -> Iterator[tuple[str, Sym, int]]:
        """What a C++ file gives to Python: (`module.Class.name`, what runs, line), joined by pybind11's class."""
        view = self.world.view(number)
        if view.python:
            return
        for call in view.facts.calls:
            items = parts(call.callee)
            if items[-1].lstrip(".") not in DEFINERS or not call.args or call.args[0].path != "#str":
                continue
            owner = self._class_given(number, call, items)
            if owner:
                module = self._module(number, call)
                name = ".".join(p for p in (module, owner, call.args[0].text) if p)
                yield from ((name, target, call.line) for target in dict.fromkeys(self._behind(number, call)))

    def _behind(self, number: int, call: Call) -> list[Sym]:
        """What runs, with every override of a virtual method."""
        found = list(self._runs(number, call))
        inside = self._within(number, call) if any(a.path == "#lambda" for a in call.args) else []
        found += [t.to for c in inside for t in self.uses.calls.targets(number, c) if isinstance(t.to, Sym)]
        return [f for f in found if self.world.kind(f) == "function"]

    def _class_given(self, number: int, call: Call, items: tuple[str, ...]) -> str:
        """The Python name of the class that a `.def` adds to: of `py::class_<T>(m, "Name")`, also through a local."""
        root = items[0]
        if root.isidentifier():
            binds = self.world.view(number).binds.get((call.scope, root), ())
            root = next((parts(b.value)[0] for b in binds if "class_<" in b.value), "")
        if "class_<" not in root:
            return ""
        for c in self.world.view(number).calls.get(call.scope, ()):
            if c.callee == root:
                return next((a.text for a in c.args if a.path == "#str"), "")
        return ""

    def _module(self, number: int, call: Call) -> str:
        """The Python module of `PYBIND11_MODULE(name, m)`."""
        d = self.world.definition(Sym(number, self.world.function_of(number, call.scope)))
        if d is None or "MODULE" not in d.name or not d.params:
            return ""
        return d.params[0].name or d.params[0].annotation

    def _runs(self, number: int, call: Call) -> list[Sym]:
        for arg in call.args[1:]:
            if arg.path == "#lambda":
                return self._in_lambda(number, call)
            found = self._functions(number, call, arg)
            if not found and arg.path.endswith("()"):  # a macro or function around it: `BOX(&f)`
                inner = [c for c in self._within(number, call) if c.callee == arg.path[:-2]]
                found = [f for c in inner for a in c.args for f in self._functions(number, c, a)]
            if found:
                return found
        return []

    def _in_lambda(self, number: int, call: Call) -> list[Sym]:
        """What a lambda runs: the methods of objects that it calls, else the engine's own functions."""
        found = [
            t.to
            for c in self._within(number, call)
            for t in self.uses.calls.targets(number, c)
            if isinstance(t.to, Sym) and self.world.kind(t.to) != "class"
        ]
        return [f for f in found if self.world.owner(f) is not None] or found

    def _within(self, number: int, call: Call) -> list[Call]:
        """The calls written inside the arguments of `call`."""
        near = self.world.view(number).calls.get(call.scope, ())
        return [c for c in near if call.line <= c.line <= call.last and c is not call]

    def _functions(self, number: int, call: Call, arg: Arg) -> list[Sym]:
        if not arg.path or arg.path[0] in "#?<" or arg.path.endswith(")"):
            return []
        native = not self.world.view(number).python
        return (self.member(arg.path, number) if native else []) or [
            t.ref
            for t in self.types.of(number, call.scope, arg.path)
            if t.kind == "fn" and isinstance(t.ref, Sym)
        ]

    def member(self, pointer: str, near: int) -> list[Sym]:
        """The definitions of `Class::method` or of a function, bodies before declarations."""
        found = [s for s in self.world.functions(pointer) if not self.world.view(s.file).python]
        bodies = [s for s in found if self.world.kind(s) == "function"]
        return sorted(bodies or found, key=lambda s: (s.file != near, s))[:MANY]
