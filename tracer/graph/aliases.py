"""Which field an expression stands for: `self.pool.queue`, `q = self.queues[i]`, a member of a C++ class seen in it.

Takes access paths where they stand, gives (class that declares the field, field). Elements of a container stand for
the container. Locals are followed through what they are bound to; parameters are the business of who passes them.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracer.graph.annotations import Type
from tracer.graph.types import Types
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

Key = tuple[Sym, str]
ROUNDS = 2  # records made of records
DEPTH = 4  # locals bound to locals
_ELEMENT = frozenset(  # methods whose result is an element of the container, or stands for the same
    {"get", "setdefault", "values", "items", "keys", "find", "at", "begin", "front", "back", "copy", "second", "first"}
)


class Aliases:
    """Names fields by expression in one world."""

    def __init__(self, types: Types) -> None:
        self.types, self.world = types, types.world

    @kept
    def keys(self, number: int, scope: int, path: str, depth: int = DEPTH) -> tuple[Key, ...]:
        """The fields that `path` stands for in `scope`; () for plain locals and unknown owners."""
        return self._unpacked(number, scope, path) or self._keys(number, scope, whole(path), depth)

    def _unpacked(self, number: int, scope: int, path: str) -> tuple[Key, ...]:
        """The field of a named tuple that `path` picks by its place: `first, second = self.records.pop()`."""
        items = parts(path)
        if len(items) < 2 or not items[-1][1:-1].isdigit():
            return ()
        out = []
        for t in self.types.of(number, scope, join(items[:-1])):
            d = self.world.definition(t.ref) if t.kind == "obj" and isinstance(t.ref, Sym) else None
            if d is None or not any(last_part(b) == "NamedTuple" for b in d.bases):
                continue
            own = [f.name for f in self.world.view(t.ref.file).facts.fields if f.owner == t.ref.index]  # type: ignore[union-attr]
            out += [(t.ref, own[int(items[-1][1:-1])])] if int(items[-1][1:-1]) < len(own) else []
        return tuple(out)  # type: ignore[arg-type]

    def _keys(self, number: int, scope: int, items: tuple[str, ...], depth: int) -> tuple[Key, ...]:
        if not items or items[-1][0] in "#?<([":
            return ()
        if len(items) == 1:
            return self._name(number, scope, items[0], depth)
        if items[-1][0] != ".":
            return ()
        name = items[-1][1:]
        owners = self.types.of(number, scope, join(items[:-1]))
        classes = [
            c for t in owners if t.kind == "obj" and isinstance(t.ref, Sym) for c in self._seen_through(t.ref, name)
        ]
        out = [(self.declarer(c, name), name) for c in classes if self._holds(c, name)]
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

    @kept
    def _seen_through(self, cls: Sym, name: str) -> tuple[Sym, ...]:
        """The class itself or, for a C++ accessor without such a field, the class that its `->` gives."""
        if self.world.view(cls.file).python or self._declares(cls, name):
            return (cls,)
        arrows = [m for c in self.world.mro(cls) for m in self.world.methods(c, "operator->")[:1]]
        given = (r.ref for m in arrows[:1] for r in self.types.result(Type("fn", m)))
        return tuple(r for r in given if isinstance(r, Sym)) or (cls,)

    @kept
    def _declares(self, cls: Sym, name: str) -> bool:
        return any((c.index, name) in self.world.view(c.file).fields for c in self.world.mro(cls))

    @kept
    def _holds(self, cls: Sym, name: str) -> bool:
        """Whether objects of `cls` have such a field; in Python also one that is only ever set from outside."""
        if not self.world.view(cls.file).python:
            return self._declares(cls, name)
        return not any(self.world.methods(c, name) for c in self.world.mro(cls))

    @kept
    def declarer(self, cls: Sym, name: str) -> Sym:
        """The ancestor that declares the field, so that subclasses share it."""
        return next(
            (c for c in reversed(self.world.mro(cls)) if (c.index, name) in self.world.view(c.file).fields), cls
        )

    # -- handed on in records --------------------------------------------------------------
    def made_with(self, number: int, call: Call, path: str) -> Iterator[Key]:
        """The fields of a record that `call` makes with `path`."""
        places = [(k, a.keyword) for k, a in enumerate(call.args) if a.path == path]
        for t in self.types.of(number, call.scope, call.callee) if places else ():
            if t.kind != "cls" or not isinstance(t.ref, Sym):
                continue
            order = [f.name for f in self.world.view(t.ref.file).facts.fields if f.owner == t.ref.index]
            for k, keyword in places:
                name = keyword or (order[k] if k < len(order) else "")
                if name in order:
                    yield self.declarer(t.ref, name), name

    def carried(self, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """The fields, and those of the records and objects that they are handed on to."""
        out = dict.fromkeys(keys)
        fresh = list(keys)
        for _ in range(ROUNDS):
            fresh = [k for key in fresh for k in self._onward(key) if k not in out]
            out |= dict.fromkeys(fresh)
        return tuple(out)

    @kept
    def _onward(self, key: Key) -> tuple[Key, ...]:
        out: dict[Key, None] = {}
        for number in self.world.files_with("u", key[1]):
            handing = self.world.view(number).handing.get(key[1], ()) if not self.world.context(number) else ()
            for call, path in handing:
                if key in self.keys(number, call.scope, path):
                    out |= dict.fromkeys(self.made_with(number, call, path))
        return tuple(out)


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
