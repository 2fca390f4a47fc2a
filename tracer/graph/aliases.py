"""Which field an expression stands for: `self.pool.queue`, `q = self.queues[i]`, a member of a C++ class seen in it.

Takes access paths where they stand, gives (class that declares the field, field). Elements of a container stand for
the container. Locals are followed through what they are bound to; parameters are the business of who passes them.
"""

from __future__ import annotations

from tracer.graph.types import Types
from tracer.graph.world import Sym
from tracer.survey.paths import join, parts

Key = tuple[Sym, str]
DEPTH = 4  # locals bound to locals
_ELEMENT = frozenset(  # methods whose result is an element of the container, or stands for the same
    {"get", "setdefault", "values", "items", "keys", "find", "at", "begin", "front", "back", "copy", "second", "first"}
)


class Aliases:
    """Names fields by expression in one world."""

    def __init__(self, types: Types) -> None:
        self.types, self.world = types, types.world
        self._memo: dict[tuple[int, int, str], tuple[Key, ...]] = {}

    def keys(self, number: int, scope: int, path: str, depth: int = DEPTH) -> tuple[Key, ...]:
        """The fields that `path` stands for in `scope`; () for plain locals and unknown owners."""
        memo = (number, scope, path)
        found = self._memo.get(memo)
        if found is None:
            self._memo[memo] = ()  # a local bound to itself ends here
            found = self._memo[memo] = self._keys(number, scope, whole(path), depth)
        return found

    def _keys(self, number: int, scope: int, items: tuple[str, ...], depth: int) -> tuple[Key, ...]:
        if not items or items[-1][0] in "#?<([":
            return ()
        if len(items) == 1:
            return self._name(number, scope, items[0], depth)
        if items[-1][0] != ".":
            return ()
        name = items[-1][1:]
        owners = self.types.of(number, scope, join(items[:-1]))
        out = [
            (self.declarer(t.ref, name), name)
            for t in owners
            if t.kind == "obj" and isinstance(t.ref, Sym) and self._holds(t.ref, name)
        ]
        if not out and name in ("first", "second"):  # of a map's entry
            return self.keys(number, scope, join(items[:-1]), depth)
        return tuple(dict.fromkeys(out))

    def _name(self, number: int, scope: int, name: str, depth: int) -> tuple[Key, ...]:
        """A bare name: what a local is bound to, or the C++ member of that name."""
        view = self.world.view(number)
        for s in self.world.chain(number, scope):
            binds = view.binds.get((s, name))
            if binds and depth:
                found = (k for b in binds if b.value for k in self.keys(number, s, b.value, depth - 1))
                return tuple(dict.fromkeys(found))
            d = view.facts.definitions[s]
            if binds or any(p.name == name for p in d.params):
                return ()
        if view.python or not name.isidentifier():
            return ()
        owner = self.world.owner(Sym(number, self.world.function_of(number, scope)))
        return ((self.declarer(owner, name), name),) if owner is not None and self._declares(owner, name) else ()

    def _declares(self, cls: Sym, name: str) -> bool:
        return any((c.index, name) in self.world.view(c.file).fields for c in self.world.mro(cls))

    def _holds(self, cls: Sym, name: str) -> bool:
        """Whether objects of `cls` have such a field; in Python also one that is only ever set from outside."""
        if not self.world.view(cls.file).python:
            return self._declares(cls, name)
        return not any(self.world.methods(c, name) for c in self.world.mro(cls))

    def declarer(self, cls: Sym, name: str) -> Sym:
        """The ancestor that declares the field, so that subclasses share it."""
        return next(
            (c for c in reversed(self.world.mro(cls)) if (c.index, name) in self.world.view(c.file).fields), cls
        )


def whole(path: str) -> tuple[str, ...]:
    """The path without what only picks an element: `self.m.get()[]` is `self.m`."""
    items = parts(path)
    while len(items) > 1:
        if items[-1][0] == "[":
            items = items[:-1]
        elif items[-1] == "()" and len(items) > 2 and items[-2][1:] in _ELEMENT:
            items = items[:-2]
        elif items[-1] in (".second", ".first") and items[-2] in ("()", "[]", "[*]"):
            items = items[:-1]
        else:
            break
    return items
