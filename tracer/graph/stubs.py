"""Methods that are put into a class at import time: `setattr(Client, name, make(spec))` for every name of a contract.

A call of such a method runs the function that the factory made. Where that only passes on, what it passes on to is
reached too, because nobody asks for a stub.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.model import Basis
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts

PASSED_ON = 3  # functions in a row that only pass on
Crossing = tuple[Sym, Sym | str, str, Basis, int, int]


class Stubs:
    """Finds what calls of generated methods run, in one world."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world, self.types = uses, uses.world, uses.types

    def out_of(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        """What `call`, in function `source`, runs through a generated method."""
        items = parts(call.callee)
        if not self._families or len(items) < 2 or items[-1][0] != ".":
            return
        name = items[-1][1:]
        for r in self.types.of(number, call.scope, join(items[:-1])):
            if r.kind != "obj" or not isinstance(r.ref, Sym):
                continue
            for cls in sorted(self._families.get(r.ref, ())):
                if not self.world.methods(cls, name):
                    for made in self.installed[cls]:
                        yield source, made, "dynamic", "inherited", number, call.line
                        for to in self._passed_on(made):
                            yield source, to, "dynamic", "inherited", number, call.line

    @functools.cached_property
    def installed(self) -> dict[Sym, tuple[Sym, ...]]:
        """Class → the functions that stand behind names computed at import time."""
        out: dict[Sym, dict[Sym, None]] = {}
        for number in self.world.files_with("c", "setattr"):
            if self.world.context(number):
                continue
            for call in self.world.view(number).facts.calls:
                if call.callee != "setattr" or len(call.args) != 3 or call.args[1].path == "#str":
                    continue
                classes = [t.ref for t in self.types.of(number, call.scope, call.args[0].path) if t.kind == "cls"]
                made = dict.fromkeys(self._made(number, call.scope, call.args[2].path))
                for cls in classes:
                    if isinstance(cls, Sym):
                        out.setdefault(cls, {}).update(made)
        return {k: tuple(v) for k, v in out.items() if v}

    def _made(self, number: int, scope: int, path: str) -> Iterator[Sym]:
        """The functions that `path` is, or that the factory it calls gives back."""
        for t in self.types.of(number, scope, path):
            if t.kind == "fn" and isinstance(t.ref, Sym):
                yield t.ref
        for factory in self.uses.calls.callees(number, scope, path[:-2]) if path.endswith("()") else ():
            if isinstance(factory.to, Sym):
                for b in self.world.view(factory.to.file).binds.get((factory.to.index, "return"), ()):
                    if not b.value.endswith("()"):
                        yield from self._made(factory.to.file, factory.to.index, b.value)

    @functools.cached_property
    def _families(self) -> dict[Sym, set[Sym]]:
        """Class → the classes with generated methods that an object declared as such may be of."""
        out: dict[Sym, set[Sym]] = {}
        for cls in self.installed:
            for base in self.world.mro(cls):
                out.setdefault(base, set()).add(cls)
        return out

    def _passed_on(self, function: Sym, depth: int = PASSED_ON) -> Iterator[Sym]:
        """The functions whose result is all that `function` gives back."""
        for b in self.world.view(function.file).binds.get((function.index, "return"), ()):
            if depth and b.value.endswith("()"):
                for t in self.uses.calls.callees(function.file, function.index, b.value[:-2]):
                    if isinstance(t.to, Sym) and t.to != function and self.world.kind(t.to) == "function":
                        yield t.to
                        yield from self._passed_on(t.to, depth - 1)
