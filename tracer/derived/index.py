"""The index that a lookup reads, and what goes with it: its staging container, and the predicate that admits a reader.

An index is a container of a class that one function asks for a key (and returns by what it found), another fills and
a third removes from. Where the lookup goes on to test a field of what it found, that field decides what readers see.
"""

from __future__ import annotations

from functools import cached_property

from tracer.derived.table import Key, State, Table, tests
from tracer.graph.places import Match
from tracer.graph.world import Sym
from tracer.survey.paths import parts

DEPTH = 3  # predicate methods followed into each other


class Indexes:
    """Derives indexes from the table of states."""

    def __init__(self, table: Table) -> None:
        self.table, self.world = table, table.world

    @cached_property
    def index_of_lookup(self) -> dict[Key, str]:
        """Each index with its reason."""
        return {key: reason for key, (_, reason) in self._indexes.items()}

    @cached_property
    def queries(self) -> dict[Key, tuple[Match, ...]]:
        """The asking statement of each function that answers from an index."""
        return {key: asks for key, (asks, _) in self._indexes.items()}

    @cached_property
    def _indexes(self) -> dict[Key, tuple[tuple[Match, ...], str]]:
        out = {}
        for key, state in self.table.states.items():
            filled, removed = state.of("insert"), state.of("remove", "clear")
            if not filled or not removed or not self.table.is_map(key):
                continue
            taking = self.table.functions(state.of("remove"))
            asks: dict[Sym, Match] = {}
            for m in state.asked:
                function = self.table.function(m)
                if function not in taking and function not in asks and self._answers(function, m):
                    asks[function] = m
            removers = self.table.functions(removed)
            if asks and (len(removers | set(asks) | self.table.functions(filled)) > 1):
                who = self.world.name(min(asks))
                out[key] = (tuple(asks.values()), f"{self.table.name(key)} is what {who} looks up")
        return out

    def _answers(self, function: Sym, ask: Match) -> bool:
        """Whether the function returns something of what it asked, behind the asking."""
        returned = self.world.view(function.file).binds.get((function.index, "return"), ())
        return any(b.line >= ask.line and b.value not in ("", "#none") for b in returned) or any(
            k.kind == "return" and k.line >= ask.line and len(k.text) > len("return;")
            for k in self.world.view(function.file).marks.get(function.index, ())
        )

    # -- staging -----------------------------------------------------------------------
    @cached_property
    def staging_of_index(self) -> dict[Key, str]:
        """Containers from which values move on into an index by the same function, with the reason."""
        out: dict[Key, str] = {}
        for key in self.index_of_lookup:
            for m in self.table.states[key].of("insert"):
                for other, n in self._near(self.table.function(m)):
                    if (
                        other != key
                        and n.op == "remove"
                        and n.line <= m.line
                        and other not in out
                        and self.table.states[other].of("insert")
                        and self._related(other[0], key[0])
                    ):
                        out[other] = f"{self.table.name(other)} holds what goes on into {self.table.name(key)}"
        return out

    def _near(self, function: Sym) -> list[tuple[Key, Match]]:
        """What a function does to states, and what the methods of its class do that it calls."""
        found = list(self.table.by_function.get(function, ()))
        for c in self.world.view(function.file).calls.get(function.index, ()):
            if c.callee.startswith(("self.", "this.")) and c.callee.count(".") == 1:
                for t in self.table.uses.calls.targets(function.file, c):
                    if isinstance(t.to, Sym):
                        found += [
                            (k, m._replace(line=c.line)) for k, m in self.table.by_function.get(t.to, ())
                        ]
        return found

    def _related(self, a: Sym, b: Sym) -> bool:
        return a == b or self.world.is_a(a, b) or self.world.is_a(b, a)

    # -- the predicate -------------------------------------------------------------------
    @cached_property
    def predicate_of_lookup(self) -> dict[Key, str]:
        """Fields of what was found that a lookup tests before it answers, with the reason."""
        out: dict[Key, str] = {}
        for key, asks in self.queries.items():
            for ask in asks:
                function = self.table.function(ask)
                for found in self.tested_in(function, ask.line, None):
                    if found not in out and found != key and self._flips(self.table.states[found]):
                        who = self.world.name(function)
                        out[found] = f"{who} tests {self.table.name(found)} of what it found in {self.table.name(key)}"
        return out

    def _flips(self, state: State) -> bool:
        """Whether it is a switch: a constant is written to it outside of construction, or it goes up and down."""
        return any(m.access is not None and _constant(m.access.value) for m in state.of("write")) or bool(
            state.of("augment+") and state.of("augment-")
        )

    def tested_in(self, function: Sym, first: int, last: int | None, depth: int = 0) -> list[Key]:
        """The fields that tests of `function` from line `first` to `last` read, through predicate methods."""
        out: dict[Key, None] = {}
        for key, m in self.table.by_function.get(function, ()):
            a = m.access
            if a is None or not a.test or m.line < first or (last is not None and m.line > last):
                continue
            method = self.world.methods(key[0], key[1])
            if method:
                self._into(method[0], out, depth)
            elif key in self.table.states:
                out.setdefault(key)
        for c in self.world.view(function.file).calls.get(function.index, ()):
            if c.line < first or (last is not None and c.line > last) or len(parts(c.callee)) > 6:
                continue
            if not tests(self.table.line(function.file, c.line)):
                continue
            for t in self.table.uses.calls.targets(function.file, c)[:4]:
                if isinstance(t.to, Sym):
                    self._into(t.to, out, depth)
        return list(out)

    def _into(self, predicate: Sym, out: dict[Key, None], depth: int) -> None:
        """The fields that decide a predicate method: those it reads, if it is short."""
        d = self.world.definition(predicate)
        if depth >= DEPTH or d is None or d.kind != "function" or d.last - d.first > 30:
            return
        for key, m in self.table.by_function.get(predicate, ()):
            if m.op == "read" and key in self.table.states:
                out.setdefault(key)
        for c in self.world.view(predicate.file).calls.get(predicate.index, ()):
            for t in self.table.uses.calls.targets(predicate.file, c)[:4]:
                if isinstance(t.to, Sym) and t.to != predicate:
                    self._into(t.to, out, depth + 1)


def _constant(value: str) -> bool:
    """Whether a value is a literal truth, number or nothing, or a member of a class by its name."""
    last = parts(value)[-1].rsplit("::", 1)[-1].lstrip(".") if value else ""
    return value in ("#bool", "#none", "#int") or (("." in value or "::" in value) and last.isupper())
