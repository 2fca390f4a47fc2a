"""State by type: which accesses, calls and definitions does a pattern such as `Class.field` mean?

Takes a world with types; gives matches with their basis. A receiver that is a subclass counts, another class with
a field of the same name does not; aliases through locals are followed. Patterns are names or dotted tails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracer.graph.places import Match
from tracer.graph.receivers import ELEMENT_METHODS, Receivers
from tracer.graph.world import Sym, World
from tracer.kept import Once, kept
from tracer.survey.facts import Access, Call
from tracer.survey.ops import INSERT, REMOVE
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "__cinit__", "__attrs_post_init__"})
_READERS = frozenset(
    {
        "items",
        "values",
        "keys",
        "get",
        "copy",
        "find",
        "count",
        "contains",
        "at",
        "begin",
        "cbegin",
        "load",
        "empty",
        "size",
        "front",
        "top",
    }
)
_EMPTY = re.compile(r"[\w.:]+\(\s*\)")


class Uses(Receivers, Once):
    """Looks facts up by typed patterns."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._states: dict[str, tuple[Match, ...]] = {}

    def state(self, pattern: str) -> tuple[Match, ...]:
        """Every access to the state `Class.field` or `module.variable`, all ops, by file and line."""
        found = self._states.get(pattern)
        if found is None:
            found = self._states[pattern] = tuple(self._state(pattern.replace("::", ".")))
        return found

    def _state(self, pattern: str) -> Iterator[Match]:
        owners, field = self.owners(pattern)
        module = self.world.modules.get(pattern.rpartition(".")[0], -1) if not owners else -1
        if not owners and module < 0:
            tail = pattern.rpartition(".")[0]
            hits = [n for m, n in self.world.modules.items() if tail and (m == tail or m.endswith("." + tail))]
            if len(hits) != 1:
                return
            module = hits[0]
        family = set(owners)
        for number in self.world.files_with("u", field):
            view = self.world.view(number)
            aliases = {(b.scope, b.name) for b in view.facts.binds if field in b.value}
            locals_ = {name for _, name in aliases}
            for a in view.facts.accesses:
                if field not in a.target and not (locals_ and self.spellings.aliased(number, a, aliases, locals_)):
                    continue
                for path in self.spellings.of(number, a.scope, a.target, field):
                    hit = self._access(number, a, path, field, family, module)
                    if hit is not None:
                        yield hit
                        break
            for (
                call
            ) in view.facts.calls:  # `d.items()`, `m.find(k)`: reads of the container, not calls of the engine's own
                if field in call.callee and reads(call):
                    items = parts(call.callee)[:-1]
                    at = [
                        k
                        for k, i in enumerate(items)
                        if i.lstrip(".") == field and not any(r[0] == "." for r in items[k + 1 :])
                    ]
                    basis = self.ownership.of(number, call.scope, items, at[0], family, module) if at else None
                    if basis is not None:
                        yield Match(number, call.scope, call.line, call.last, "read", basis, call=call)

    def _access(self, number: int, a: Access, path: str, field: str, family: set[Sym], module: int) -> Match | None:
        items = parts(path)
        for k, item in enumerate(items):
            name = item[1:] if item[0] == "." else item.rsplit("::", 1)[-1] if k == 0 else ""
            if name != field:
                continue
            basis = self.ownership.of(number, a.scope, items, k, family, module)
            if basis is None:
                continue
            op = self._op(number, a, items, k)
            return Match(number, a.scope, a.line, a.last, op, basis, access=a)
        return None

    def _op(self, number: int, a: Access, items: tuple[str, ...], k: int) -> str:
        """What the access does to the field at `items[k]`: its own op on the field or on its elements, else a read.

        `init` is a plain write or an empty container in the owner's own constructor: the state is born, not changed.
        """
        rest = items[k + 1 :]
        if not rest:
            if a.op in ("write", "clear") and self.in_construction(number, a.scope, a.target):
                return "init"
            if a.op == "write" and _EMPTY.fullmatch(a.text) and self._is_container(number, a):
                return "clear"  # a container of the engine's own is made anew
            return a.op
        if a.op == "read":
            return a.op
        if any(r[0] == "." and r not in ELEMENT_METHODS for r in rest):
            return "read"
        if rest[-1][0] == "." and rest[-1] in (".second", ".first"):
            return a.op if a.op != "write" else "insert"
        element = self.types.of(number, a.scope, join(items))
        if any(t.kind == "obj" for t in element) and a.op in ("insert", "remove", "clear"):
            return "read"  # a method of the element's own class, not of the container
        return a.op

    def _is_container(self, number: int, a: Access) -> bool:
        """Whether the value written is an instance of an engine's class that one can put into and take from."""
        for t in self.types.of(number, a.scope, a.value):
            if t.kind == "obj" and isinstance(t.ref, Sym):
                names = {n for c in self.world.mro(t.ref) for n in self.world.method_names(c)}
                if names & INSERT and names & REMOVE:
                    return True
        return False

    def in_construction(self, number: int, scope: int, target: str) -> bool:
        """Whether `target`, written in `scope`, is a field of the object that this constructor makes."""
        d = self.world.view(number).definition(self.world.function_of(number, scope))
        if d is None:
            return False
        if self.world.view(number).python:
            if not target.startswith("self.") or target.count(".") != 1:
                return False
            return last_part(d.name) in CONSTRUCTORS or self._part_of_construction(number, scope)
        bits = d.name.split("::")
        return len(bits) > 1 and bits[-1] == bits[-2] and len(parts(target.removeprefix("this."))) == 1

    @kept
    def _part_of_construction(self, number: int, scope: int) -> bool:
        """Whether only constructors of its own class call the method around `scope`: `self._init_state()`."""
        function = Sym(number, self.world.function_of(number, scope))
        owner = self.world.owner(function)
        if owner is None or "init" not in self.world.name(function):
            return False
        sites = self.calls.callers(function)
        around = [Sym(s.file, self.world.function_of(s.file, s.call.scope)) for s in sites]
        return bool(around) and all(
            self.world.name(a) in CONSTRUCTORS and (o := self.world.owner(a)) is not None and self.world.is_a(o, owner)
            for a in around
        )


def reads(call: Call) -> bool:
    """Whether a call asks a container without changing it (`d.items()`, `m.find(k)`)."""
    return call.callee.rpartition(".")[2] in _READERS
