"""Which field of a record a local stands for: picked out of one by place, or handed to one when it was made.

`first, second = self.records.pop()` names the fields of a named tuple without naming them; `Record(start, end)` makes
two locals the fields of the record, so that what is called on them afterwards is called on the fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracer.graph.parameters import is_record
from tracer.graph.types import Types
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

Key = tuple[Sym, str]
DEPTH = 3  # locals bound to locals


class Records:
    """Names record fields by local in one world."""

    def __init__(self, types: Types) -> None:
        self.types, self.world = types, types.world

    def fields_of(self, number: int, scope: int, name: str) -> Iterator[Key]:
        """The record fields that the local `name` stands for in `scope`."""
        yield from self._picked(number, scope, name, DEPTH)
        yield from self._handed(number, scope).get(name, ())

    def _picked(self, number: int, scope: int, path: str, depth: int) -> Iterator[Key]:
        items = parts(path)
        if len(items) > 1 and items[-1][1:-1].isdigit():
            for t in self.types.of(number, scope, join(items[:-1])):
                own = self._order(t.ref, tuples=True) if t.kind == "obj" and isinstance(t.ref, Sym) else ()
                place = int(items[-1][1:-1])
                if place < len(own) and isinstance(t.ref, Sym):
                    yield t.ref, own[place]
        elif len(items) == 1 and depth:
            for b in self.world.view(number).binds.get((scope, items[0]), ()):
                if b.value:
                    yield from self._picked(number, scope, b.value, depth - 1)

    @kept
    def _handed(self, number: int, scope: int) -> dict[str, tuple[Key, ...]]:
        """local → the record fields it is handed to in this function."""
        out: dict[str, tuple[Key, ...]] = {}
        for call in self.world.view(number).calls.get(scope, ()):
            names = [(k, a) for k, a in enumerate(call.args) if a.path.isidentifier()]
            for t in self.types.of(number, scope, call.callee) if names else ():
                order = self._order(t.ref) if t.kind == "cls" and isinstance(t.ref, Sym) else ()
                for k, a in names:
                    field = a.keyword or (order[k] if k < len(order) else "")
                    if field in order and isinstance(t.ref, Sym):
                        out[a.path] = (*out.get(a.path, ()), (t.ref, field))
        return out

    @kept
    def _order(self, cls: Sym, *, tuples: bool = False) -> tuple[str, ...]:
        """The fields of a record class in the order of its constructor; () for other classes."""
        d = self.world.definition(cls)
        view = self.world.view(cls.file)
        if d is None or not view.python:
            return ()
        if not (any(last_part(b) == "NamedTuple" for b in d.bases) if tuples else is_record(d)):
            return ()
        return tuple(f.name for f in view.facts.fields if f.owner == cls.index and f.where == "class")
