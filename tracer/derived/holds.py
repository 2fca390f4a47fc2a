"""Statements that hold memory or let it go: holds on what guards a removal, last releases, loops that evict."""

from __future__ import annotations

import re
from functools import cached_property

from tracer.derived.statements import Shape, Statements
from tracer.derived.table import CHANGES, Key, tests
from tracer.graph.places import Match
from tracer.graph.world import Sym
from tracer.survey.paths import parts
from tracer.survey.store import last_part

SHORT = 12  # lines of a predicate function
# the protocol of locks and counts in the languages' own libraries
_TAKES = re.compile(r"^_*(lock|acquire|pin|inc|add|retain|ref|hold|enter|up|extend|renew|touch)", re.IGNORECASE)
_GIVES = re.compile(r"^_*(unlock|release|unpin|dec|sub|unref|drop|exit|down)", re.IGNORECASE)
_LIMIT = re.compile(r"[<>]=?")
_NONE_LEFT = re.compile(r"[<>]=?\s*[01]\b")


class Holds(Statements):
    """Finds holds, predicates on them, and what happens when the last is gone."""

    @cached_property
    def raises_guard(self) -> Shape:
        """Calls on a field whose other method guards a removal, that take a hold."""
        return {m: why for m, why in self._on_guards.items() if _TAKES.search(_method(m))}

    @cached_property
    def lowers_guard(self) -> Shape:
        """Calls on a field whose other method guards a removal, that give a hold back."""
        return {m: why for m, why in self._on_guards.items() if _GIVES.search(_method(m))}

    @cached_property
    def _on_guards(self) -> Shape:
        holders: dict[Key, str] = {}
        for key in (*self.indexes.index_of_lookup, *self.indexes.staging_of_index):
            for m in self.table.states[key].of("remove"):
                function = self.table.function(m)
                for c in self.world.view(function.file).calls.get(function.index, ()):
                    items = parts(c.callee)
                    if c.line > m.line or len(items) < 3 or not tests(self.table.line(function.file, c.line)):
                        continue
                    holder = self.table.key_of(function.file, c.scope, c.callee.rpartition(".")[0])
                    if holder is not None and holder != key:
                        who = self.world.name(function)
                        what, index = self.table.name(holder), self.table.name(key)
                        holders.setdefault(holder, f"{who} asks {what} before it removes from {index}")
        out: Shape = {}
        names = {k[1] for k in holders}
        for number in self.live():
            for c in self.world.view(number).facts.calls:
                items = parts(c.callee)
                if len(items) > 2 and items[-2][1:] in names:
                    holder = self.table.key_of(number, c.scope, c.callee.rpartition(".")[0])
                    if holder in holders:
                        out[self.call_at(number, c)] = holders[holder]
        return out

    @cached_property
    def predicate(self) -> Shape:
        """Predicate methods by which a counter is tested."""
        out: Shape = {}
        for key in {**self.guards.counter, **self.guards.guard_of_removal}:
            for m in self.table.states[key].of("read"):
                d = self.world.definition(self.table.function(m))
                if d is not None and d.last - d.first <= SHORT and m.access is not None and m.access.test:
                    out[m] = f"a short function tells whether {self.table.name(key)} allows it"
        return out

    @cached_property
    def counted_class(self) -> Shape:
        """Where the counters are declared that guard a removal."""
        out: Shape = {}
        for key in {**self.guards.counter, **self.guards.guard_of_removal}:
            declared = self.world.view(key[0].file).fields.get((key[0].index, key[1]), ())[:1]
            for f in declared:
                m = Match(key[0].file, key[0].index, f.line, f.line, "define", "exact")
                out[m] = f"{self.table.name(key)} counts who holds it"
        return out

    @cached_property
    def reader_predicate(self) -> Shape:
        """Short functions that read what a lookup tests of an entry: whether a reader may have it."""
        out: Shape = {}
        for key in self.indexes.predicate_of_lookup:
            for m in self.table.states[key].of("read"):
                d = self.world.definition(self.table.function(m))
                if d is not None and d.last - d.first <= SHORT and d.kind == "function":
                    out[m] = f"tells by {self.table.name(key)} whether a reader may have it"
        return out

    @cached_property
    def last_release(self) -> Shape:
        """What a function puts away or takes out where it lowers a counter that others raise: the last user frees."""
        out: Shape = {}
        for key in {**self.guards.counter, **self.guards.guard_of_removal}:
            for m in self.table.states[key].of("augment-"):
                function = self.table.function(m)
                for other, n in self.table.by_function.get(function, ()):
                    if other != key and n.op in CHANGES and n.line >= m.line:
                        out[n] = f"after {self.table.name(key)} went down, {self.table.name(other)} changes"
        return out

    @cached_property
    def freeing_destructor(self) -> Shape:
        """Calls in a C++ destructor on what the object holds."""
        out: Shape = {}
        for number in self.live():
            view = self.world.view(number)
            if view.python:
                continue
            for scope, d in enumerate(view.facts.definitions):
                if d.kind == "function" and last_part(d.name).startswith("~"):
                    for c in view.calls.get(scope, ())[:3]:
                        if c.args and any(isinstance(t.to, Sym) for t in self.table.uses.calls.targets(number, c)):
                            out[self.call_at(number, c)] = "the destructor gives back what the object held"
                            break
        return out

    @cached_property
    def pressure(self) -> Shape:
        """Tests that compare what is in use (a number that goes up and down, a size) with a limit."""
        out: Shape = {}
        for key, state in self.table.states.items():
            if not self.guards.counts(state):
                continue
            for m in state.tested():
                text = m.access.text if m.access is not None else ""
                if _LIMIT.search(text) and not _NONE_LEFT.search(text):
                    out[m] = f"{self.table.name(key)} is compared with a limit"
        return out

    @cached_property
    def evicting_loop(self) -> Shape:
        """Removals from an index (or what is guarded by a counter) inside a loop."""
        out: Shape = {}
        for key in self.indexes.index_of_lookup:
            for m in self.table.states[key].of("remove"):
                if self.in_loop(m.file, m.scope, m.line):
                    out[m] = f"a loop removes from {self.table.name(key)}"
        return out


def _method(m: Match) -> str:
    return m.call.callee.rpartition(".")[2].lower() if m.call else ""
