"""Declared crossings of a world: every source end joined to every target end with the same key.

What is declared is in rules/crossings/ (see `declarations.py`); which functions that means here, `ends.py` finds.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from tracer.graph.declarations import Declaration, declarations_for
from tracer.graph.ends import Ends, Found
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
        targets: dict[str, dict[Sym, Found]] = {}
        for found in (f for e in d.targets for f in self.ends.of(e)):
            targets.setdefault(found.key, {}).setdefault(found.function, found)
        keyed = bool(d.sources[0].key)
        groups = targets if keyed else {"": {s: f for group in targets.values() for s, f in group.items()}}
        for source in sources:
            for to in groups.get(source.key if keyed else "", ()):
                if to != source.function and self._same(source.function, to, d.same):
                    yield source.function, to, d.kind, "declared", source.file, source.line

    def _same(self, a: Sym, b: Sym, what: str) -> bool:
        if what == "file":
            return a.file == b.file
        if what == "folder":
            return self.world.path(a.file).rpartition("/")[0] == self.world.path(b.file).rpartition("/")[0]
        return what != "class" or self.world.owner(a) == self.world.owner(b)
