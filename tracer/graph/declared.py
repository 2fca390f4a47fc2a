"""Declared crossings of a world: every source end joined to every target end with the same key.

What is declared is in rules/crossings/ (see `declarations.py`); which functions that means here, `ends.py` finds.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from tracer.graph.declarations import Declaration, declarations_for
from tracer.graph.ends import Ends
from tracer.graph.uses import Uses
from tracer.graph.world import Sym, World
from tracer.model import Basis

Crossing = tuple[Sym, Sym | str, str, Basis, int, int]


def declarations_of(world: World) -> tuple[Declaration, ...]:
    """The declarations that apply to the engines and versions of `world`."""
    return declarations_for({p.target.name: p.facts.tree.version for p in world.parts})


class Declared:
    """The declared crossings of one world, by the file that they start in."""

    def __init__(self, uses: Uses, declarations: tuple[Declaration, ...] | None = None) -> None:
        self.world, self.ends = uses.world, Ends(uses)
        self.declarations = declarations_of(uses.world) if declarations is None else declarations

    def of_file(self, number: int) -> tuple[Crossing, ...]:
        """Every declared crossing that starts in file `number`."""
        return self._by_file.get(number, ())

    def out_of(self, sym: Sym) -> Iterator[Crossing]:
        """The declared crossings that start in one function."""
        return (c for c in self.of_file(sym.file) if c[0] == sym)

    def bound_to(self, sym: Sym) -> Iterator[Sym]:
        """The functions that run `sym` through a declared binding."""
        return iter(self._bound.get(sym, ()))

    @functools.cached_property
    def _bound(self) -> dict[Sym, tuple[Sym, ...]]:
        out: dict[Sym, dict[Sym, None]] = {}
        for d in self.declarations:
            for source, to, *_ in self.joined(d) if d.kind == "binding" else ():
                if isinstance(to, Sym):
                    out.setdefault(to, {})[source] = None
        return {k: tuple(v) for k, v in out.items()}

    @functools.cached_property
    def _by_file(self) -> dict[int, tuple[Crossing, ...]]:
        out: dict[int, dict[Crossing, None]] = {}
        for d in self.declarations:
            for crossing in self.joined(d):
                out.setdefault(crossing[0].file, {})[crossing] = None
        return {k: tuple(v) for k, v in out.items()}

    def joined(self, d: Declaration) -> Iterator[Crossing]:
        """The crossings of one declaration."""
        sources = [f for e in d.sources for f in self.ends.of(e)]
        if not sources:
            return
        keyed = bool(d.sources[0].key)
        targets: dict[str, dict[tuple[Sym, Sym | None], None]] = {}
        for found in (f for e in d.targets for f in self.ends.of(e)):
            targets.setdefault(found.key if keyed else "", {})[found.function, found.of] = None
        one = {p for e in d.sources for p in e.patterns} == {p for e in d.targets for p in e.patterns}
        for source in sources:
            for to, of in targets.get(source.key if keyed else "", ()):
                if one and not self._related(source.of, of):
                    continue
                if to != source.function and self._same(source.function, to, d.same):
                    yield source.function, to, d.kind, "declared", source.file, source.line

    def _related(self, a: Sym | None, b: Sym | None) -> bool:
        """Whether what is filled as `a` may be read as `b`; two messages with a field of one name are two messages."""
        return a is None or b is None or self.world.is_a(a, b) or self.world.is_a(b, a)

    def _same(self, a: Sym, b: Sym, what: str) -> bool:
        if what == "file":
            return a.file == b.file
        if what == "folder":
            return self.world.path(a.file).rpartition("/")[0] == self.world.path(b.file).rpartition("/")[0]
        return what != "class" or self.world.owner(a) == self.world.owner(b)
