"""What the finders of telling statements share: live files, calls as matches, loops, the states with a derived part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tracer.derived.guards import Guards
from tracer.derived.handover import Handovers
from tracer.derived.index import Indexes
from tracer.derived.status import Statuses
from tracer.derived.table import Key, Table
from tracer.graph.places import Match
from tracer.readings import Readings
from tracer.survey.facts import Call

Shape = dict[Match, str]  # a statement and the reason


class Statements:
    """What each finder starts from."""

    def __init__(
        self,
        table: Table,
        indexes: Indexes,
        guards: Guards,
        handovers: Handovers,
        statuses: Statuses,
        readings: Readings,
    ) -> None:
        self.table, self.world, self.indexes, self.guards = table, table.world, indexes, guards
        self.handovers, self.statuses, self.readings = handovers, statuses, readings

    @cached_property
    def shared(self) -> dict[Key, str]:
        """All states with a derived part."""
        return {
            **self.handovers.tally, **self.statuses.waiting_list, **self.statuses.status_field,
            **self.handovers.handed_over, **self.guards.counter, **self.guards.guard_of_removal,
            **self.indexes.staging_of_index, **self.indexes.index_of_lookup,
        }  # fmt: skip

    def live(self) -> Iterator[int]:
        """The files of live code."""
        return (n for n in range(self.world.size) if not self.world.context(n))

    def call_at(self, number: int, c: Call) -> Match:
        """The call as a match."""
        return Match(number, c.scope, c.line, c.last, "call", "typed", call=c)

    def in_loop(self, number: int, scope: int, line: int) -> bool:
        """Whether a loop of its function runs around the statement at `line`."""
        if self.world.view(number).python:
            return self._indented_in_loop(number, scope, line)
        reading = self.readings.of(number, scope)
        if reading is None:
            return False
        return any(
            b.statements[at].kind in ("for", "while") and b.statements[at].first < line
            for b, at in reading.holders(line)
        )

    def _indented_in_loop(self, number: int, scope: int, line: int) -> bool:
        """A Python statement's loop by indentation: cheap where thousands are asked for."""
        lines, d = self.table.lines(number), self.world.view(number).definition(scope)
        if d is None or line > len(lines):
            return False
        depth = _indent(lines[line - 1])
        for k in range(line - 1, d.line, -1):
            text = lines[k - 1]
            if text.strip() and _indent(text) < depth:
                depth = _indent(text)
                if text.lstrip().startswith(("for ", "while ", "async for ")):
                    return True
        return False


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])", name)]
