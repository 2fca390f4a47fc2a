"""Destructors: what runs in C++ when an element leaves a container or a pointer lets go.

Nothing in the code calls them. The element's type tells: its own destructor, then those of what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracer.graph.annotations import Type
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts

ENDS = frozenset({"clear", "erase", "pop", "pop_back", "pop_front", "reset", "extract"})
DEPTH = 4  # members of members
MANY = 8  # destructors behind one statement; more say nothing
_SHARES = frozenset({"weak_ptr", "span", "string_view", "reference_wrapper", "function"})  # end no object's life


class Destruction:
    """Finds the destructors that statements run, in one world."""

    def __init__(self, uses: Uses) -> None:
        self.world, self.types = uses.world, uses.types

    def out_of(self, number: int, call: Call) -> Iterator[Sym]:
        """The destructors that `call` may run: of what a container drops, or a pointer held."""
        items = parts(call.callee)
        if len(items) < 2 or items[-1][1:] not in ENDS or self.world.view(number).python:
            return
        found: dict[Sym, None] = {}
        for t in self.types.of(number, call.scope, join(items[:-1])):
            if t.kind == "ext":
                for union in t.args:
                    found |= dict.fromkeys(d for inner in union for d in self._behind(inner, 0))
            elif items[-1] == ".reset" and isinstance(t.ref, Sym) and not self._resets(t.ref):
                found |= dict.fromkeys(self._behind(t, 0))
        if len(found) <= MANY:
            yield from found

    def _resets(self, cls: Sym) -> bool:
        return any(self.world.methods(c, "reset") for c in self.world.mro(cls))

    def _behind(self, t: Type, depth: int) -> Iterator[Sym]:
        if t.kind == "ext" and str(t.ref).rsplit(".", 1)[-1] not in _SHARES:
            for union in t.args:
                for inner in union:
                    yield from self._behind(inner, depth)
        elif t.kind == "obj" and isinstance(t.ref, Sym):
            yield from self._of_class(t.ref, depth)

    @kept
    def _of_class(self, cls: Sym, depth: int) -> tuple[Sym, ...]:
        """The class's own destructor, and then those of its members."""
        name = f"~{self.world.name(cls)}"
        own = [m for m in self.world.methods(cls, name) if self.world.kind(m) == "function"]
        out = dict.fromkeys(own[:1])
        if depth >= DEPTH:
            return tuple(out)
        view = self.world.view(cls.file)
        for f in view.facts.fields:
            if f.owner == cls.index and not f.annotation.rstrip().endswith(("*", "&")):
                for t in self.types.attribute_of(cls, f.name):
                    out |= dict.fromkeys(self._behind(t, depth + 1))
        return tuple(out)
