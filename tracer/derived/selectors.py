"""What cues ask for by name: derived states (`state: {index_of_lookup: true}`) and shapes (`shape: chained_call`).

Each gives matches, and remembers why, so that a proposal can say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from tracer.derived.endings import Endings
from tracer.derived.guards import Guards
from tracer.derived.handover import Handovers
from tracer.derived.holds import Holds
from tracer.derived.index import Indexes
from tracer.derived.shapes import Shapes
from tracer.derived.status import Statuses
from tracer.derived.table import Key, Table
from tracer.graph.crossings import Crossings
from tracer.graph.places import Match
from tracer.graph.uses import Uses
from tracer.readings import Readings


class Selectors:
    """The derivations of one world, by the names that rules use."""

    def __init__(self, uses: Uses, crossings: Crossings, readings: Readings, clock: re.Pattern[str]) -> None:
        self.table = Table(uses, crossings)
        self.indexes = Indexes(self.table)
        self.guards = Guards(self.table, self.indexes, clock)
        self.handovers = Handovers(self.table)
        self.statuses = Statuses(self.table)
        parts = (self.table, self.indexes, self.guards, self.handovers, self.statuses, readings)
        self.finders = (Shapes(*parts), Endings(*parts), Holds(*parts))
        self._why: dict[tuple[int, int, str], str] = {}
        self._state: dict[tuple[int, int, str], Key] = {}

    def states(self, name: str) -> Mapping[Key, str]:
        """The states that the selector means, each with the reason."""
        for part in (self.indexes, self.guards, self.handovers, self.statuses):
            if name in STATES and hasattr(type(part), name):
                found: Mapping[Key, str] = getattr(part, name)
                return found
        raise KeyError(name)

    def matches(self, name: str) -> Iterator[Match]:
        """All that is done to the states of a selector."""
        for key, why in self.states(name).items():
            for matches in self.table.states[key].ops.values():
                for m in matches:
                    self._why.setdefault((m.file, m.line, m.op), why)
                    self._state.setdefault((m.file, m.line, m.op), key)
                    yield m

    def shape(self, name: str) -> Iterator[Match]:
        """The statements of a shape."""
        for part in (*self.finders, self.handovers, self.statuses):
            if name in SHAPES and hasattr(type(part), name):
                found: Mapping[Match, str] = getattr(part, name)
                for m, why in found.items():
                    self._why.setdefault((m.file, m.line, m.op), why)
                    yield m
                return
        raise KeyError(name)

    def why(self, m: Match) -> str:
        """The reason that was found for a match, "" if none."""
        return self._why.get((m.file, m.line, m.op), "")

    def state_of(self, m: Match) -> Key | None:
        """The derived state that a match is an op of; None for a shape."""
        return self._state.get((m.file, m.line, m.op))

    @cached_property
    def roles_of(self) -> dict[Key, int]:
        """How many derived parts each state has: more is surer."""
        out: dict[Key, int] = {}
        for name in STATES:
            for key in self.states(name):
                out[key] = out.get(key, 0) + 1
        return out


STATES = (
    "index_of_lookup", "staging_of_index", "predicate_of_lookup", "guard_of_removal", "counter", "deadline",
    "handed_over", "tally", "status_field", "waiting_list",
)  # fmt: skip
SHAPES = (
    "query_of_index", "chained_call", "evicting_loop", "last_release", "pressure", "freeing_destructor", "copy_in",
    "failure_branch", "overdue", "raises_guard", "lowers_guard", "signals", "waits", "status_enum",
    "put_into_store", "got_from_store", "asked_of_store", "logged_failure", "done_callback", "predicate",
    "counted_class",
    "hash_call", "failed_member", "timed_removal", "awaited_task", "reader_predicate",
)  # fmt: skip
