"""Special methods that are run without being named: `len(x)`, `for … in x`, the truth of `x`, `k in x`, and those of
items: `x[k]`, `x[k] = v`, `del x[k]`.

Only where the type of `x` is known and a class of the package answers. True of a run, and of no use for a path, so
these links are in the graph but not followed by searches.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from tracer.graph.calls import Calls
from tracer.graph.implicit import Entered
from tracer.graph.types import Types
from tracer.graph.world import Sym, World
from tracer.survey.facts import Access, Call
from tracer.survey.paths import join, parts

_ITERATED = ("list", "tuple", "set", "frozenset", "sorted", "sum", "any", "all", "enumerate", "min", "max", "iter")
_BUILTIN: dict[str, tuple[str, ...]] = {
    "len": ("__len__",),
    "bool": ("__bool__", "__len__"),
    "next": ("__next__",),
    "reversed": ("__reversed__", "__len__"),
    "str": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "hash": ("__hash__",),
    **dict.fromkeys(_ITERATED, ("__iter__",)),
}  # builtin → the methods of its argument that it runs: the first that there is
_TRUTH, _MEMBER, _EACH, _ITEM = ("__bool__", "__len__"), ("__contains__", "__iter__"), ("__iter__",), ("__getitem__",)
_CHANGES = {"insert": ("__setitem__",), "remove": ("__delitem__",)}


class Special:
    """Finds the special methods that are run in one world."""

    def __init__(self, world: World, types: Types, calls: Calls) -> None:
        self.world, self.types, self.calls = world, types, calls

    def of_file(self, number: int) -> Iterator[Entered]:
        """All that starts in file `number`, each once a line."""
        view = self.world.view(number)
        if not view.python or not self._defined:
            return
        asked: dict[tuple[int, str, tuple[str, ...], int], None] = {}
        for name, methods in _BUILTIN.items():
            if self._defined.intersection(methods):
                for call in view.called.get(name, ()):
                    if call.callee == name and call.args:
                        asked[call.scope, call.args[0].path, methods, call.line] = None
        asked.update(dict.fromkeys(self._tests(view.facts.accesses)))
        if "__iter__" in self._defined:
            for b in view.facts.binds:
                if b.value.endswith("[*]"):
                    asked[b.scope, b.value[:-3], _EACH, b.line] = None
        if "__getitem__" in self._defined:
            asked.update(dict.fromkeys(self._items(view.facts.calls)))
            asked.update(dict.fromkeys(i for a in view.facts.accesses for i in self._taken(a.scope, a.target, a.line)))
            asked.update(dict.fromkeys(i for a in view.facts.accesses for i in self._taken(a.scope, a.value, a.line)))
        if self._defined & {"__setitem__", "__delitem__"}:
            asked.update(dict.fromkeys(self._changed(number)))
        for scope, path, methods, line in asked:
            yield from self._run(number, scope, path, methods, line)

    @functools.cached_property
    def _defined(self) -> frozenset[str]:
        """The special methods that some class of the world defines."""
        groups = (*_BUILTIN.values(), *_CHANGES.values(), _TRUTH, _MEMBER, _EACH, _ITEM)
        names = {m for methods in groups for m in methods}
        return frozenset(n for n in names if self.world.files_with("d", n))

    def _tests(self, accesses: Iterable[Access]) -> Iterator[tuple[int, str, tuple[str, ...], int]]:
        for a in accesses:
            if a.test and a.op == "read":
                if not a.value:
                    yield a.scope, a.target, _TRUTH, a.line
                elif " in " in a.text:
                    yield a.scope, a.target, _MEMBER, a.line

    def _items(self, calls: Iterable[Call]) -> Iterator[tuple[int, str, tuple[str, ...], int]]:
        for call in calls:
            yield from self._taken(call.scope, call.callee, call.line)
            for arg in call.args:
                yield from self._taken(call.scope, arg.path, call.line)

    def _taken(self, scope: int, path: str, line: int) -> Iterator[tuple[int, str, tuple[str, ...], int]]:
        """`x[k]` anywhere in an access path."""
        if "[" in path:
            items = parts(path)
            for at, item in enumerate(items):
                if at and item[0] == "[" and item != "[*]":
                    yield scope, join(items[:at]), _ITEM, line

    def _changed(self, number: int) -> Iterator[tuple[int, str, tuple[str, ...], int]]:
        """`x[k] = v` and `del x[k]`; what a method of `x` changes (`x.append(v)`) is the edge of that call."""
        view = self.world.view(number)
        for a in view.facts.accesses:
            methods = _CHANGES.get(a.op)
            if methods and not any(
                c.line == a.line and join(parts(c.callee)[:-1]) == a.target for c in view.calls.get(a.scope, ())
            ):
                yield a.scope, a.target, methods, a.line

    def _run(self, number: int, scope: int, path: str, methods: tuple[str, ...], line: int) -> Iterator[Entered]:
        if not path or path[0] in "#?<":
            return
        source = Sym(number, self.world.function_of(number, scope))
        for t in self.types.of(number, scope, path):
            if t.kind != "obj" or not isinstance(t.ref, Sym):
                continue
            for name in methods:
                found = [(to, basis) for to, basis in self.calls.method(t, name, False) if isinstance(to, Sym)]
                for to, basis in found:
                    yield Entered(source, to, "dynamic" if basis == "inherited" else "call", basis, number, line)
                if found:
                    break
