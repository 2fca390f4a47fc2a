"""What keeps memory from being taken: the guard of an evicting statement, walked backwards to the state it reads.

A removal from an index (or a counter's own test before a free) is guarded by tests; each test reads fields, at once or
through predicate methods. Of these, a counter that goes up and down protects, and so does a deadline compared with
the clock.
"""

from __future__ import annotations

import re
from functools import cached_property

from tracer.derived.index import Indexes
from tracer.derived.table import Key, State, Table
from tracer.graph.places import Match


class Guards:
    """Derives protections from the table of states and the indexes."""

    def __init__(self, table: Table, indexes: Indexes, clock: re.Pattern[str]) -> None:
        self.table, self.world, self.indexes, self.clock = table, table.world, indexes, clock

    @cached_property
    def guard_of_removal(self) -> dict[Key, str]:
        """Counters and deadlines that a removal from an index is guarded by, with the reason."""
        out: dict[Key, str] = {}
        for key in (*self.indexes.index_of_lookup, *self.indexes.staging_of_index):
            for m in self.table.states[key].of("remove"):
                function = self.table.function(m)
                d = self.world.definition(function)
                if d is None:
                    continue
                for found in self.indexes.tested_in(function, d.first, m.line):
                    state = self.table.states[found]
                    if found != key and found not in out and (self.counts(state) or self.clocked(state)):
                        who = self.world.name(function)
                        what, index = self.table.name(found), self.table.name(key)
                        out[found] = f"{who} tests {what} before it removes from {index}"
        return out

    @cached_property
    def counter(self) -> dict[Key, str]:
        """Counters that go up in one place, down in another and are tested, with the reason."""
        out = {}
        for key, state in self.table.states.items():
            if self.counts(state) and state.tested():
                out[key] = f"{self.table.name(key)} goes up and down and is tested"
        return out

    @cached_property
    def deadline(self) -> dict[Key, str]:
        """Fields that are compared with the clock and written otherwise than once."""
        return {
            key: f"{self.table.name(key)} is compared with the clock"
            for key, state in self.table.states.items()
            if self.clocked(state)
        }

    def counts(self, state: State) -> bool:
        """Whether the field goes up and down."""
        return bool(state.of("augment+", *self._swaps(state))) and bool(state.of("augment-", *self._swaps(state)))

    def _swaps(self, state: State) -> tuple[str, ...]:
        """"write" where the field is changed by compare-and-exchange, which may raise or lower it."""
        swaps = any(m.access is not None and "compare_exchange" in m.access.text for m in state.of("write"))
        return ("write",) if swaps else ()

    def clocked(self, state: State) -> bool:
        """Whether a test compares the field with the clock."""
        return bool(self.overdue(state)) and bool(state.of("write", "insert", "init"))

    def overdue(self, state: State) -> list[Match]:
        """The tests that compare the field with the clock."""
        texts = ((m, m.access.text if m.access is not None else "") for m in state.tested())
        return [m for m, text in texts if self.clock.search(text) or _NOW.search(text)]



_NOW = re.compile(r"\b(\w*[cC]urrent_?[tT]ime\w*|now_\w+|\w+_now|elapsed\w*)\b")
