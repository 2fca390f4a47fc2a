"""What tells how far a request is: a field that only ever gets the members of one enum, and lists it moves between."""

from __future__ import annotations

from functools import cached_property

from tracer.derived.table import Key, Table
from tracer.graph.places import Match
from tracer.graph.world import Sym
from tracer.survey.paths import join, parts

MANY = 24  # an object kept in more containers than this does not wait in any
MEMBERS = 3  # an enumeration of fewer is a switch, not a life


class Statuses:
    """Derives status enumerations and waiting lists from the table of states."""

    def __init__(self, table: Table) -> None:
        self.table, self.world, self.types = table, table.world, table.types

    @cached_property
    def status_field(self) -> dict[Key, str]:
        """Fields set to members of one enumeration in several functions, with the reason."""
        out: dict[Key, str] = {}
        for key, state in self.table.states.items():
            writes = state.of("write", "init")
            moved = [m for m in state.of("write", "insert") if self._member(m)]
            kinds = [e for m in (*moved, *writes) if (e := self._member(m))]
            if moved and kinds and len(self.table.functions(moved)) + bool(state.of("init")) > 1:
                enum = max(sorted(kinds), key=kinds.count)
                if self._size(enum) >= MEMBERS and self.tested(key):
                    out[key] = f"{self.table.name(key)} only gets members of {self.world.name(enum)}"
        return out

    def tested(self, key: Key) -> bool:
        """Whether some test reads the field."""
        return bool(self.table.states[key].tested()) or bool(self.table.states[key].of("read"))

    @cached_property
    def status_enum(self) -> dict[Match, str]:
        """The definitions of the enumerations of status fields, with the reason."""
        out: dict[Match, str] = {}
        for key in self.status_field:
            state = self.table.states[key]
            for enum in {e for m in state.of("write", "init", "insert") if (e := self._member(m))}:
                d = self.world.definition(enum)
                if d is not None:
                    m = Match(enum.file, enum.index, d.line, d.line, "define", "exact", definition=d)
                    out.setdefault(m, f"its members are the values of {self.table.name(key)}")
        return out

    def _member(self, m: Match) -> Sym | None:
        """The enumeration of which the match stores a member."""
        a = m.access
        if a is None or not a.value:
            return None
        items = parts(a.value)
        if len(items) < 2 and "::" not in a.value:
            return None
        owner = join(items[:-1]) if len(items) > 1 else a.value.rpartition("::")[0]
        if len(items) == 1:
            found = self.world.cpp_lookup(owner, m.file, self.world.symbol(Sym(m.file, m.scope)))
            return found if found is not None and self._enum(found) else None
        for t in self.types.of(m.file, a.scope, owner):
            if t.kind == "cls" and isinstance(t.ref, Sym) and self._enum(t.ref):
                return t.ref
        return None

    def _enum(self, cls: Sym) -> bool:
        """Whether the class is an enumeration, or holds nothing but constants."""
        if self.world.kind(cls) == "enum":
            return True
        fields = [f for (owner, _), fs in self.world.view(cls.file).fields.items() if owner == cls.index for f in fs]
        return (
            len(fields) >= MEMBERS
            and all(f.where == "class" and f.value in ("#int", "#str") for f in fields)
            and not self.world.method_names(cls)
        )

    def _size(self, enum: Sym) -> int:
        return sum(1 for (owner, _) in self.world.view(enum.file).fields if owner == enum.index)

    # -- lists -------------------------------------------------------------------------
    @cached_property
    def waiting_list(self) -> dict[Key, str]:
        """Lists of one class among which its objects move: membership is their state; with the reason."""
        groups: dict[Sym, list[Key]] = {}
        for key, state in self.table.states.items():
            if not state.of("insert") or not state.of("remove", "clear", "write"):
                continue
            for t in self.types.element_of(self.types.attribute_of(*key)):
                if t.kind == "obj" and isinstance(t.ref, Sym) and self.world.is_class(t.ref):
                    groups.setdefault(t.ref, []).append(key)
        out: dict[Key, str] = {}
        for cls, keys in groups.items():
            if 2 <= len(set(keys)) <= MANY:
                for key in keys:
                    what = self.world.name(cls)
                    out.setdefault(key, f"{self.table.name(key)} is one of {len(keys)} lists that hold {what}")
        return out
