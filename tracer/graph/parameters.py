"""The type of an undeclared parameter or field, from the arguments its callers pass. Asked on demand."""

from __future__ import annotations

from tracer.graph.annotations import Type, Types_, merge
from tracer.graph.evaluation import Evaluation
from tracer.graph.tuples import held_by
from tracer.graph.world import Sym
from tracer.survey.facts import Arg, Call, Definition
from tracer.survey.store import last_part

CALLER_FILES = 40  # callers are asked only when so few files call that name
_SAYS_NOTHING = ("?", "#none", "#lambda")
_RECORDS = ("NamedTuple", "Struct", "BaseModel")
DEPTH = 24  # and not deep inside another evaluation


def is_record(d: Definition) -> bool:
    """Whether the class's constructor is made from its fields."""
    return any("dataclass" in x for x in d.decorators) or any(last_part(b) in _RECORDS for b in d.bases)


class Parameters:
    """Flows argument types into parameters."""

    def __init__(self, types: Evaluation) -> None:
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

    def of_field(self, cls: Sym, name: str) -> Types_:
        """The type of a dataclass field that is declared as no more than `object`, from what it is made with."""
        key = ("field", cls, name)
        d = self.world.definition(cls)
        if d is None or not is_record(d):
            return ()
        order = [f.name for f in self.world.view(cls.file).facts.fields if f.owner == cls.index and f.where == "class"]
        files = self.world.files_with("c", last_part(d.name))
        pending = self.types.pending
        if name not in order or len(files) > CALLER_FILES or pending.beyond(DEPTH) or not pending.enter(key):
            return ()
        out: Types_ = ()
        for number in files:
            for call in self.world.view(number).facts.calls:
                if last_part(d.name) not in call.callee:
                    continue
                made = self.types.of(number, call.scope, call.callee)
                if not any(t.kind == "cls" and t.ref == cls for t in made):
                    continue
                for k, arg in enumerate(call.args):
                    here = arg.keyword == name or (not arg.keyword and k == order.index(name))
                    if here and arg.path not in _SAYS_NOTHING:
                        out = merge(out, self.types.of(number, call.scope, arg.path))
        pending.leave(key)
        return out

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
                arg = self._argument(call, d, position, bound=owner is not None and "static" not in d.flags)
                if arg is not None and self._calls(number, call, function, owner, name):
                    out = merge(out, self._given(number, call.scope, arg))
        return out

    def _given(self, number: int, scope: int, arg: Arg) -> Types_:
        """What an argument is; a list made on the spot also by what it is full of."""
        inner = held_by(arg.text) if arg.path == "#list" else ""
        element = self.types.of(number, scope, inner) if inner else ()
        return (Type("ext", "list", (element,)),) if element else self.types.of(number, scope, arg.path)

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
    def _argument(call: Call, d: Definition, position: int, *, bound: bool) -> Arg | None:
        """What is passed for parameter `position`; None if nothing, or unpacked."""
        name = d.params[position].name
        at = position - 1 if bound else position
        for k, arg in enumerate(call.args):
            if arg.keyword == name or (not arg.keyword and k == at):
                return arg if arg.path and arg.path not in _SAYS_NOTHING else None
            if arg.keyword in ("*", "**") and not arg.keyword:
                return None
        return None
