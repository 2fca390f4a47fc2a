"""Calls that no call expression names: properties that are read, wrappers that decorators put around a function,
the `__post_init__` of a record, the two ends of a `with`, the `__getattr__` of a module.

A run enters these functions although the statement does not spell them, so a path that leaves them out has a hole.
Python only: C++ has operators and destructors, which `dispatch` and the readings look at.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tracer.graph.annotations import Type
from tracer.graph.calls import Calls
from tracer.graph.types import Types
from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Access, Call, Definition, Import
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

_PLAIN = ("property", "cached_property", "staticmethod", "classmethod", "abstractmethod", "override", "overload")


class Entered(NamedTuple):
    """A function that is entered without being named, from where, and what kind of edge that is."""

    source: Sym
    target: Sym
    kind: str
    basis: Basis
    file: int
    line: int


class Implicit:
    """Finds what is entered without being named."""

    def __init__(self, world: World, types: Types, calls: Calls) -> None:
        self.world, self.types, self.calls = world, types, calls

    def of_file(self, number: int) -> Iterator[Entered]:
        """All that starts in file `number`."""
        view = self.world.view(number)
        if not view.python:
            return
        yield from self._from(number, view.facts.accesses, view.facts.calls)
        for item in view.facts.imports if self._answering else ():
            yield from self._imported(number, item)
        for index, d in enumerate(view.facts.definitions):
            if d.kind == "function" and d.decorators:
                yield from self._wrapped(Sym(number, index), d)

    def out_of(self, sym: Sym, calls: Iterable[Call]) -> Iterator[Entered]:
        """All that starts in one function, given its calls."""
        view = self.world.view(sym.file)
        if not view.python:
            return
        yield from self._from(sym.file, view.accesses_of.get(sym.index, ()), calls)
        for item in view.facts.imports if self._answering else ():
            if self.world.function_of(sym.file, item.scope) == sym.index:
                yield from self._imported(sym.file, item)
        yield from self._held(sym)

    def _from(self, number: int, accesses: Iterable[Access], calls: Iterable[Call]) -> Iterator[Entered]:
        for a in accesses:
            if "." in a.target:
                yield from self._read(number, a.scope, parts(a.target), a.line)
            if self._answering and a.op == "read":
                yield from self._asked(number, a.scope, a.target, a.line)
        for call in calls:
            head = parts(call.callee)[:-1]
            if len(head) > 1:
                yield from self._read(number, call.scope, head, call.line)
            yield from self._around(number, call)

    # -- properties ------------------------------------------------------------------
    @functools.cached_property
    def _properties(self) -> frozenset[str]:
        """Names that some class gives to a property."""
        found = set()
        for spelt in ("property", "cached_property", "abstractproperty"):
            for number in self.world.files_with("g", spelt):
                for d in self.world.view(number).facts.definitions:
                    if "property" in d.flags:
                        found.add(last_part(d.name))
        return frozenset(found)

    def _read(self, number: int, scope: int, items: tuple[str, ...], line: int) -> Iterator[Entered]:
        """The getters that reading the path of these parts runs."""
        for at, item in enumerate(items):
            if item[0] != "." or item[1:] not in self._properties:
                continue
            source = Sym(number, self.world.function_of(number, scope))
            for t in self.types.of(number, scope, join(items[:at])):
                if t.kind != "obj" or not isinstance(t.ref, Sym):
                    continue
                for to, basis in self.calls.method(t, item[1:], True):
                    if isinstance(to, Sym) and to != source and self._is_getter(to):
                        yield Entered(source, to, "dynamic" if basis == "inherited" else "call", basis, number, line)

    # -- modules ---------------------------------------------------------------------
    @functools.cached_property
    def _answering(self) -> dict[int, Sym]:
        """Modules that answer for names they do not have (`__getattr__`, PEP 562), and that function."""
        found = (s for s in self.world.defined("__getattr__") if self.world.view(s.file).python)
        return {s.file: s for s in found if (d := self.world.definition(s)) is not None and d.parent < 0}

    def _asked(self, number: int, scope: int, path: str, line: int) -> Iterator[Entered]:
        """The `__getattr__` of a module of which `path` reads a name that it does not define."""
        items = parts(path)
        if len(items) < 2 or items[1][0] != "." or items[0] in ("self", "cls"):
            return
        for t in self.types.of(number, scope, items[0]):
            answer = self._answering.get(t.ref.file) if t.kind == "mod" and isinstance(t.ref, Sym) else None
            if answer is not None and not self._has(answer.file, items[1][1:]):
                source = Sym(number, self.world.function_of(number, scope))
                yield Entered(source, answer, "call", "typed", number, line)

    def _has(self, module: int, name: str) -> bool:
        view = self.world.view(module)
        return (-1, name) in view.children or name in view.imports

    def _imported(self, number: int, item: Import) -> Iterator[Entered]:
        owner = self.world.modules.get(self.world.absolute(number, item)) if item.name else None
        answer = self._answering.get(owner) if owner is not None else None
        if answer is not None and not self._has(answer.file, item.name):
            source = Sym(number, self.world.function_of(number, item.scope))
            yield Entered(source, answer, "call", "typed", number, item.line)

    def _is_getter(self, sym: Sym) -> bool:
        d = self.world.definition(sym)
        return (
            d is not None
            and "property" in d.flags
            and not any(g.endswith((".setter", ".deleter")) for g in d.decorators)
        )

    # -- decorators ------------------------------------------------------------------
    @kept
    def wrappers(self, sym: Sym) -> tuple[Sym, ...]:
        """The functions that the decorators of `sym` put around it, outermost first."""
        d = self.world.definition(sym)
        if d is None or not self.world.view(sym.file).python:
            return ()
        out = []
        for text in d.decorators:
            name, called = text.split("(", 1)[0], "(" in text
            if last_part(name) in _PLAIN or name.endswith((".setter", ".deleter", ".getter")):
                continue
            around = [t for t in self.types.of(sym.file, d.parent, name) if t.kind == "fn"]
            for _ in range(2 if called else 1):
                around = [r for t in around for r in self._given_back(t)]
            out += [t.ref for t in around if isinstance(t.ref, Sym) and t.ref != sym and self._is_nested(t.ref)]
        return tuple(dict.fromkeys(out))

    def _given_back(self, decorator: Type) -> list[Type]:
        """What a decorator gives; if that is disguised (`cast`), the functions in it that call its argument.

        A declared result (`Callable[[F], F]`) says nothing of which function it is: then what is returned counts.
        """
        found = [r for r in self.types.result(decorator) if r.kind == "fn"] or self._returned(decorator)
        d = self.world.definition(decorator.ref) if isinstance(decorator.ref, Sym) else None
        if found or d is None or not d.params:
            return found
        assert isinstance(decorator.ref, Sym)
        file, own = decorator.ref.file, d.params[0].name
        view = self.world.view(file)
        inner = (i for i, f in enumerate(view.facts.definitions) if f.parent == decorator.ref.index)
        return [
            Type("fn", Sym(file, i))
            for i in inner
            if view.facts.definitions[i].kind == "function" and any(c.callee == own for c in view.calls.get(i, ()))
        ]

    def _returned(self, decorator: Type) -> list[Type]:
        """The functions that the decorator's own `return` statements name."""
        if not isinstance(decorator.ref, Sym):
            return []
        file, index = decorator.ref
        values = (b.value for b in self.world.view(file).binds.get((index, "return"), ()) if b.value)
        return [t for v in values for t in self.types.of(file, index, v) if t.kind == "fn"]

    def _is_nested(self, sym: Sym) -> bool:
        """A wrapper is written inside its decorator; a decorator that gives back its argument wraps nothing."""
        d = self.world.definition(sym)
        return d is not None and d.parent >= 0 and not self.world.is_class(Sym(sym.file, d.parent))

    def _wrapped(self, sym: Sym, d: Definition) -> Iterator[Entered]:
        chain = [*self.wrappers(sym), sym]
        for outer, inner in itertools.pairwise(chain):
            yield Entered(outer, inner, "callback", "typed", sym.file, d.line)

    def _held(self, wrapper: Sym) -> Iterator[Entered]:
        """What a wrapper wraps: every function under its decorator."""
        d = self.world.definition(wrapper)
        if d is None or not self._is_nested(wrapper):
            return
        names = {last_part(self.world.name(Sym(wrapper.file, s))) for s in self.world.chain(wrapper.file, d.parent)}
        for name in sorted(names):
            for number in self.world.files_with("g", name):
                for index, other in enumerate(self.world.view(number).facts.definitions):
                    if other.kind == "function" and other.decorators and wrapper in self.wrappers(Sym(number, index)):
                        found = self._wrapped(Sym(number, index), other)
                        yield from (e for e in found if e.source == wrapper)

    # -- around a call ------------------------------------------------------------------
    def _around(self, number: int, call: Call) -> Iterator[Entered]:
        """The wrapper in front of a called function, `__post_init__` behind a constructor, the ends of a `with`."""
        source = self.world.sources(number)[call.scope]
        for t in self.calls.targets(number, call):
            if not isinstance(t.to, Sym):
                continue
            for w in self.wrappers(t.to)[:1]:
                yield Entered(source, w, "dynamic" if t.basis == "inherited" else "call", t.basis, number, call.line)
            if self.world.is_class(t.to):
                for cls in self.world.mro(t.to):
                    for m in self.world.methods(cls, "__post_init__")[:1]:
                        yield Entered(source, m, "call", t.basis, number, call.line)
        if call.how == "with":
            for r in self.types.of(number, call.scope, call.callee + "()"):
                yield from self._ends(source, r, number, call.line)

    def _ends(self, source: Sym, r: Type, number: int, line: int) -> Iterator[Entered]:
        if r.kind == "obj" and isinstance(r.ref, Sym):
            for name in ("__enter__", "__exit__", "__aenter__", "__aexit__"):
                for to, basis in self.calls.method(r, name, False):
                    if isinstance(to, Sym):
                        yield Entered(source, to, "call", basis, number, line)
