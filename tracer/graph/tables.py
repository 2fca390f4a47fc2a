"""Dispatch tables: a field holds functions by key, and a call picks one of them.

`self.handlers = {Kind: self.on_kind}`, `Dispatcher([(Kind, self.on_kind), …])` and what is registered one by one. Who
calls the table, or an element of it, may reach every function that was put in.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracer.graph.aliases import Aliases, Key
from tracer.graph.annotations import Type
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Access, Call
from tracer.survey.paths import join, parts

MANY = 160  # functions in one table; a larger one is no dispatch
_PUTS = frozenset({"write", "insert"})


class Tables:
    """Finds what calls of tables reach in one world."""

    def __init__(self, uses: Uses, aliases: Aliases) -> None:
        self.uses, self.world, self.types, self.aliases = uses, uses.world, uses.types, aliases

    def out_of(self, number: int, call: Call) -> Iterator[Sym]:
        """The functions that `call` may pick from a table; () where it calls none."""
        path = self._table(number, call)
        if not path:
            return
        found: dict[Sym, None] = {}
        for key in self.aliases.keys(number, call.scope, path):
            found |= dict.fromkeys(self._held(key))
        if len(found) <= MANY:
            yield from found

    def _table(self, number: int, call: Call) -> str:
        """The path of the table that is called: `self.t(x)`, `self.t[k](x)`, `f = self.t.get(k); f(x)`."""
        if not self.world.view(number).python:
            return ""
        items = parts(call.callee)
        if items and items[-1][0] == "[":
            return join(items)
        if len(items) == 1:
            binds = [b for s in self.world.chain(number, call.scope) for b in self._bound(number, s, items[0])]
            return call.callee if any("[" in b or ".get()" in b for b in binds) else ""
        receivers = self.types.of(number, call.scope, call.callee) if items[-1][0] == "." else ()
        return call.callee if any(self._callable(t) for t in receivers) else ""

    def _bound(self, number: int, scope: int, name: str) -> list[str]:
        return [b.value for b in self.world.view(number).binds.get((scope, name), ())]

    def _callable(self, t: Type) -> bool:
        """Whether an object of the type may be called: one of the library's, or of a class with `__call__`."""
        if t.kind != "obj" or not isinstance(t.ref, Sym):
            return t.kind == "ext"
        return any(self.world.methods(c, "__call__") for c in self.world.mro(t.ref))

    @kept
    def _held(self, key: Key) -> tuple[Sym, ...]:
        """The functions named in what is written to the field, or put into it."""
        out: dict[Sym, None] = {}
        for number in self.world.files_with("u", key[1]):
            view = self.world.view(number)
            for a in view.targets.get(key[1], ()) if view.python and not self.world.context(number) else ():
                if a.op in _PUTS and key in self.aliases.keys(number, a.scope, a.target):
                    out |= dict.fromkeys(self._named(number, a))
        return tuple(out)

    def _named(self, number: int, put: Access) -> Iterator[Sym]:
        """The functions that the statement of `put` names: as values of the table, or as what is inserted."""
        view = self.world.view(number)
        near = (a for a in view.accesses.get(put.scope, ()) if put.line <= a.line <= put.last)
        paths = [put.value, *(a.target for a in near if a.op == "read" and a.target != put.target)]
        for path in dict.fromkeys(p for p in paths if p and p[0] not in "#?<" and not p.endswith("()")):
            for t in self.types.of(number, put.scope, path):
                if t.kind == "fn" and isinstance(t.ref, Sym):
                    yield t.ref
