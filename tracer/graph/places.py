"""Definitions and constructions by pattern: where is this class, field or function defined, overridden, instantiated?

The part of `uses.py` that needs no state and no receivers: `Match`, the common result of all, lives here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tracer.graph.calls import Calls
from tracer.graph.types import Types
from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Access, Call, Definition
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part


class Match(NamedTuple):
    """A fact that a pattern means: file number, scope, first and last line of it, the op, and how sure the owner is."""

    file: int
    scope: int
    line: int
    last: int
    op: str
    basis: Basis
    access: Access | None = None
    call: Call | None = None
    definition: Definition | None = None


class Places:
    """Looks definitions up by typed patterns."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.types = Types(world)
        self.calls = Calls(world, self.types)

    def owners(self, pattern: str) -> tuple[tuple[Sym, ...], str]:
        """The classes that `Class.field` names, and the field."""
        owner, _, field = pattern.replace("::", ".").rpartition(".")
        return (self.world.classes(owner) if owner else ()), field

    @kept
    def constructed(self, pattern: str) -> tuple[Match, ...]:
        """Instantiations of a class (or a subclass of it), or of an external one by dotted tail."""
        pattern = pattern.replace("::", ".")
        classes = self.world.classes(pattern)
        family = [s for c in classes for s in (c, *self.world.subclasses(c))]
        names = {self.world.name(s) for s in family} if family else {last_part(pattern)}
        out = []
        if family and not self.world.view(family[0].file).python:
            names |= {"make_shared", "make_unique", "make_optional", "emplace_back", "emplace"}
        for name in sorted(names):
            for number in self.world.files_with("c", name):
                for call in self.world.view(number).facts.calls:
                    if name not in call.callee:
                        continue
                    items = parts(call.callee)
                    last = items[-1].lstrip(".") if items else ""
                    if last_part(last.split("<", 1)[0]) != name:
                        continue
                    if name.startswith("emplace"):  # made in place: the element type of the container tells the class
                        made = self.types.element_of(self.types.of(number, call.scope, join(items[:-1])))
                        if any(t.kind == "obj" and t.ref in family for t in made):
                            out.append(Match(number, call.scope, call.line, call.last, "call", "typed", call=call))
                        continue
                    made = self.types.of(number, call.scope, call.callee + "()")
                    if (any(t.kind == "obj" and t.ref in family for t in made) and self._makes(number, call)) or any(
                        t.kind == "ext" and (str(t.ref) == pattern or str(t.ref).endswith("." + pattern)) for t in made
                    ):
                        out.append(Match(number, call.scope, call.line, call.last, "call", "exact", call=call))
        return tuple(sorted(out, key=lambda m: (m.file, m.line)))

    def _makes(self, number: int, call: Call) -> bool:
        return (
            any(
                t.kind == "cls" or (t.kind == "ext" and t.ref == "std.factory") or t.kind == "extc"
                for t in self.types.of(number, call.scope, call.callee)
            )
            or call.how == "new"
        )

    # -- definitions -----------------------------------------------------------------
    @kept
    def defined(self, pattern: str) -> tuple[Match, ...]:
        """The definition of a class, function or field, or every function under `@decorator`."""
        if pattern.startswith("@"):
            return tuple(self._decorated(pattern[1:]))
        pattern = pattern.replace("::", ".")
        out = [self._whole(s) for s in self.world.classes(pattern)]
        if not out:
            owners, field = self.owners(pattern)
            for c in owners:
                declared = self.world.view(c.file).fields.get((c.index, field), ())[:1]
                out += [Match(c.file, c.index, f.line, f.line, "define", "exact") for f in declared]
        if not out:
            out = [self._whole(s) for s in self.world.functions(pattern)]
        return tuple(out)

    def _whole(self, sym: Sym) -> Match:
        d = self.world.definition(sym)
        assert d is not None
        return Match(sym.file, sym.index, d.line, d.line, "define", "exact", definition=d)

    def _decorated(self, name: str) -> Iterator[Match]:
        for number in self.world.files_with("g", last_part(name)):
            for i, d in enumerate(self.world.view(number).facts.definitions):
                if any(g.split("(")[0] == name or g.split("(")[0].endswith("." + name) for g in d.decorators):
                    yield self._whole(Sym(number, i))

    @kept
    def overrides(self, pattern: str) -> tuple[Match, ...]:
        """Every override of the interface method `Base.method`, with a body, the base's own left out."""
        owner, _, method = pattern.replace("::", ".").rpartition(".")
        out = []
        for base in self.world.classes(owner):
            for sub in self.world.subclasses(base):
                out += [self._whole(m) for m in self.world.methods(sub, method) if self.world.kind(m) == "function"]
        return tuple(dict.fromkeys(out))
