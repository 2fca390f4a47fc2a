"""What kind of edge a resolved call is: a plain call, dispatch at run time, or a function that was handed over.

A call is `dynamic` where the object's class is chosen elsewhere, or where a field holds which method runs; it is a
`callback` where the function was given from outside: through a parameter, or kept in a field until it is due.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracer.graph.annotations import Type
from tracer.graph.calls import Target
from tracer.graph.types import Types
from tracer.graph.world import Sym
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts

_OWN = ("self", "this", "cls", "super()")


class Dispatch:
    """Tells kinds of calls in one world."""

    def __init__(self, types: Types) -> None:
        self.types, self.world = types, types.world

    def kinds(self, number: int, call: Call, target: Target, targets: Sequence[Target]) -> tuple[str, ...]:
        """The kinds of the edge from `call` to one of its `targets`; a call that may be dispatched has both kinds."""
        if target.basis in ("inherited", "by_name"):
            return ("dynamic",)
        if not isinstance(target.to, Sym):
            return ("call",)
        items = parts(call.callee)
        name = items[-1].lstrip(".").split("<", 1)[0]
        if len(items) == 1:
            return self._bare(number, call.scope, name, target.to)
        if items[-1][0] != ".":
            return ("dynamic",)  # an element of a table
        receivers = [t for t in self.types.of(number, call.scope, join(items[:-1])) if t.kind == "obj"]
        if receivers and self.world.name(target.to) not in (name, "__init__", "__call__"):
            return self._field(number, call.scope, target.to) or self._chosen(receivers, name)
        chosen = (
            any(t.basis == "inherited" for t in targets)
            or ((items[0] not in _OWN or len(items) > 2)
            and (len(receivers) > 1 or any(isinstance(r.ref, Sym) and self.world.subclasses(r.ref) for r in receivers)))
        )
        return ("call", "dynamic") if chosen and receivers else ("call",)

    def _bare(self, number: int, scope: int, name: str, target: Sym) -> tuple[str, ...]:
        view = self.world.view(number)
        for s in self.world.chain(number, scope):
            d = view.facts.definitions[s]
            if d.kind == "function" and any(p.name == name for p in d.params):
                return ("call",) if self.world.is_class(target) else ("callback",)
            if (s, name) in view.binds:
                return ("dynamic",) if len(view.binds[s, name]) > 1 else ("call",)
        return ("call",)

    def _field(self, number: int, scope: int, target: Sym) -> tuple[str, ...]:
        """A function kept in a field: one of the class's own is a choice among methods, another was handed in."""
        if self.world.is_class(target):
            return ("call",)
        owner = self.world.owner(target)
        here = self.world.owner(Sym(number, self.world.function_of(number, scope)))
        own = owner and here and (self.world.is_a(here, owner) or self.world.is_a(owner, here))
        return ("dynamic",) if own else ()

    def _chosen(self, receivers: Sequence[Type], name: str) -> tuple[str, ...]:
        """A function kept in a field is called back; one that the class had picked (`self.f = pick()`) is a choice."""
        picked = any(
            f.value.endswith("()")
            for t in receivers
            for cls in (self.world.mro(t.ref) if isinstance(t.ref, Sym) else ())
            for f in self.world.view(cls.file).fields.get((cls.index, name), ())
        )
        return ("dynamic", "callback") if picked else ("callback",)
