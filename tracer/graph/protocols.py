"""Python's protocols (PEP 544): the classes that keep one without naming it as a base.

A receiver declared as a protocol may be any class that has all its members. A protocol of a single method says too
little: only those of two or more are followed, and only into live code.
"""

from __future__ import annotations

from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.survey.store import last_part

LEAST = 2  # members that a protocol must have for its keepers to be looked for
MOST = 64  # classes that have the rarest member: more say that the members are everyday words


class Protocols:
    """Finds who keeps a protocol in one world."""

    def __init__(self, world: World) -> None:
        self.world = world

    @kept
    def kept_by(self, protocol: Sym) -> tuple[Sym, ...]:
        """The classes that have every member of `protocol` and do not derive from it; () where it is none."""
        wanted = self._members(protocol)
        if len(wanted) < LEAST:
            return ()
        by_name = {name: self._owners(name) for name in wanted}
        rarest = min(by_name.values(), key=len)
        if len(rarest) > MOST:
            return ()
        found = dict.fromkeys(c for o in rarest for c in (o, *self.world.subclasses(o)))
        return tuple(c for c in found if self._keeps(c, protocol, wanted))

    def _members(self, cls: Sym) -> frozenset[str]:
        """The methods and properties that a protocol asks for, its own and those of the protocols it extends."""
        if not self._is_protocol(cls):
            return frozenset()
        asked = (c for c in self.world.mro(cls) if self._is_protocol(c))
        return frozenset(n for c in asked for n in self.world.method_names(c) if not n.startswith("__"))

    @kept
    def _is_protocol(self, cls: Sym) -> bool:
        d = self.world.definition(cls)
        return d is not None and any(last_part(b.split("[", 1)[0]) == "Protocol" for b in d.bases)

    def _owners(self, name: str) -> set[Sym]:
        """The classes of live code that define such a method."""
        python = (s for s in self.world.defined(name) if self.world.view(s.file).python)
        owners = (self.world.owner(s) for s in python if not self.world.context(s.file))
        return {o for o in owners if o is not None and not self._is_protocol(o)}

    def _keeps(self, cls: Sym, protocol: Sym, wanted: frozenset[str]) -> bool:
        mro = self.world.mro(cls)
        if protocol in mro or self._is_protocol(cls) or self.world.context(cls.file):
            return False
        have = {n for c in mro for n in self.world.method_names(c)}
        fields = (self.world.view(c.file).fields for c in mro)
        missing = wanted - have
        return not missing or all(
            any((c.index, n) in f for c, f in zip(mro, fields, strict=True)) for n in sorted(missing)
        )
