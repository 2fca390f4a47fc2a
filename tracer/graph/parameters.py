"""The type of an undeclared parameter, from the arguments its callers pass. Asked by `types.py`, on demand only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.graph.annotations import Types_, merge
from tracer.graph.world import Sym
from tracer.survey.facts import Call, Definition
from tracer.survey.store import last_part

if TYPE_CHECKING:
    from tracer.graph.types import Types

CALLER_FILES = 40  # callers are asked only when so few files call that name
DEPTH = 24  # and not deep inside another evaluation


class Parameters:
    """Flows argument types into parameters."""

    def __init__(self, types: Types) -> None:
        self.types, self.world = types, types.world

    def of(self, function: Sym, position: int) -> Types_:
        """The type of an undeclared parameter from the arguments of its callers."""
        key = ("parameter", function, position)
        pending = self.types.pending
        if pending.beyond(DEPTH) or not pending.enter(key):
            return ()
        found = self._parameter(function, position)
        pending.leave(key)
        return found

    def _parameter(self, function: Sym, position: int) -> Types_:
        d = self.world.definition(function)
        if d is None or not self.world.view(function.file).python:
            return ()
        owner = self.world.owner(function)
        name = last_part(d.name)
        called = self.world.name(owner) if name == "__init__" and owner else name
        files = self.world.files_with("c", called)
        if len(files) > CALLER_FILES:
            return ()
        out: Types_ = ()
        for number in files:
            for call in self.world.view(number).called.get(called, ()):
                path = self._argument(call, d, position, bound=owner is not None and "static" not in d.flags)
                if path and self._calls(number, call, function, owner, name):
                    out = merge(out, self.types.of(number, call.scope, path))
        return out

    def _calls(self, number: int, call: Call, function: Sym, owner: Sym | None, name: str) -> bool:
        for t in self.types.of(number, call.scope, call.callee):
            if (
                t.kind == "fn"
                and isinstance(t.ref, Sym)
                and (t.ref == function or self.world.overrides(function, t.ref))
            ):
                return True
            if (
                t.kind == "cls"
                and name == "__init__"
                and isinstance(t.ref, Sym)
                and owner is not None
                and self.world.is_a(t.ref, owner)
            ):
                return True
        return False

    @staticmethod
    def _argument(call: Call, d: Definition, position: int, *, bound: bool) -> str:
        """The access path passed for parameter `position`; "" if none or unpacked."""
        name = d.params[position].name
        at = position - 1 if bound else position
        for k, arg in enumerate(call.args):
            if arg.keyword == name or (not arg.keyword and k == at):
                return arg.path if arg.path not in ("?", "#none", "#lambda") else ""
            if arg.keyword in ("*", "**") and not arg.keyword:
                return ""
        return ""
