"""The ways from one acquiring (or forgetting) statement to an exit, and what stands on them: releases, hand-overs.

Takes a ledger, an event and what is held by it. Makes the verdict on an exit that a release or an owner explains.
Refuses to judge what is still held at an exit: that is `balance.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tracer.pairs.closing import anchor, closures, makes_closure
from tracer.pairs.holding import Held, passed_on, put_away, returned
from tracer.pairs.ledger import Event, Ledger
from tracer.reading import flow
from tracer.reading.branches import Branch
from tracer.reading.leaving import Exit
from tracer.reading.statements import Reading

Outcome = Literal["released", "handed_over", "missing"]
# Why an owner is believed to have it: the rule names it; it is a field of a name that a releasing function touches; it
# was followed there (callers, closures, destructors); or nothing more is known than that it went there.
Basis = Literal["", "declared", "by_name", "followed", "assumed"]


@dataclass(frozen=True, slots=True)
class Leaving:
    """One exit of a holder. `owner`: who has it after a hand-over, and on which `basis`; `by`: the line that did it."""

    line: int
    kind: str
    verdict: Outcome
    since: int  # the line that acquired, or that forgot the record
    owner: str = ""
    by: tuple[str, int] | None = None
    path: tuple[int, ...] = ()
    basis: Basis = ""

    @property
    def assumed(self) -> bool:
        """Whether the hand-over is only believed: nobody was seen who releases."""
        return self.basis == "assumed"


def handed(leaving: Leaving, owner: str, by: tuple[str, int] | None, basis: Basis) -> Leaving:
    """The exit as one that hands over to `owner`."""
    return replace(leaving, verdict="handed_over", owner=owner, by=by, path=(), basis=basis)


class Ways:
    """The ways from one acquiring (or forgetting) statement to the exits, and what stands on them."""

    def __init__(
        self, ledger: Ledger, event: Event, line: int, held: Held, reading: Reading, never: tuple[Branch, ...]
    ) -> None:
        self.ledger, self.event, self.line, self.held = ledger, event, line, held
        self.reading, self.never = reading, never
        self.path: tuple[int, ...] = ()
        host = reading.host_of(line)
        self.releases: set[int] = set()
        self.keeps: dict[int, tuple[str, Basis]] = {}
        for e in ledger.of(event.at, "release", "end", "keep"):
            self._place(e, host)
        for at, owner, known in put_away(ledger, event, held) if event.kind == "acquire" else ():
            self.keeps.setdefault(at, (owner, "by_name" if known else "assumed"))
        if event.kind == "drop":
            self.keeps.pop(event.place(reading), None)
        self.scoped = {e.line for e in ledger.of(event.at, "scope") if reading.host_of(e.line) is host}
        if event.kind != "drop":
            self.releases -= {event.place(reading), line}

    def _place(self, e: Event, host: object) -> None:
        """Where an event counts: at its line, or where the closure around it is called or handed on."""
        inner = self.reading.host_of(e.line)
        plain = inner is host and not makes_closure(self.reading, e.line)
        at = anchor(self.reading, e.place(self.reading))
        if plain or abs(at) != e.line:
            self._put(e.kind, at, e.owner)
            return
        for how, at in closures(self.reading, e.line, self.reading.host_of(self.line)):
            self._put("keep" if how == "keep" else e.kind, at, e.owner)
        around = (block.statements[at] for block, at in self.reading.holders(e.line))
        if inner is not None and any(s.kind == "raii" for s in around):
            self.releases.add(e.line)

    def _put(self, kind: str, line: int, owner: str) -> None:
        if kind in ("release", "end"):
            self.releases.add(line)
        else:
            self.keeps.setdefault(line, (owner, "declared") if owner else ("a closure", "followed"))

    def place(self, line: int) -> tuple[str, int]:
        """A line of the function's file."""
        return self.ledger.world.path(self.event.at.file), abs(line)

    def verdict(self, leaving: Exit) -> Leaving | None:
        """The exit released or handed over; None where a path leads to it with neither, which is kept."""
        found = Leaving(leaving.line, leaving.kind, "released", self.event.line)
        if self.held.scoped:
            return replace(found, by=self.place(self.line))
        if self.event.kind == "drop" and self._came_by(self.releases):
            return replace(found, by=self._nearest(self.releases, self.line))
        way = self._escape(leaving, self.releases)
        if way is None:
            return replace(found, by=self._nearest(self.releases | self.scoped, leaving.line))
        # What is put into a field that nobody was seen to empty, and is given back as well, is the caller's to judge.
        back = self.back(leaving)
        keeps = {at for at, (_, basis) in self.keeps.items() if basis != "assumed" or not back}
        if keeps and (self._escape(leaving, self.releases | keeps) is None or self._came_by(keeps)):
            by = self._nearest(keeps, leaving.line)
            owner, basis = next((k for at, k in self.keeps.items() if by and abs(at) == by[1]), ("", "assumed"))
            return handed(found, owner, by, basis)
        self.path = way
        return None

    def back(self, leaving: Exit) -> bool:
        """Whether an exit gives what is held back to the caller: itself, or in what it was put into on every way."""
        if leaving.line == self.line:  # a head on its line is negative
            return True
        given, through = returned(leaving, self.held)
        return given and (not through or self._escape(leaving, self.releases | set(through)) is None)

    def passed(self, leaving: Exit) -> int:
        """The first of the lines that pass it to a call, if every way to an exit comes by one of them; else 0."""
        lines = passed_on(self.ledger, self.event, self.held, self.reading, self.never)
        return lines[0] if lines and self._escape(leaving, self.releases | set(lines)) is None else 0

    def _escape(self, leaving: Exit, lines: set[int]) -> tuple[int, ...] | None:
        return flow.escape(
            self.reading, self.line, leaving, sorted(lines), scoped=sorted(self.scoped), when=self.held.when,
            exceptions=self.ledger.rule.exceptions, lambdas=True, present=True, never=self.never, calm=True,
        )

    def _came_by(self, lines: set[int]) -> bool:
        """Whether every way to the statement itself passed one of `lines`, or the statement is one."""
        if self.line in lines:
            return True
        return bool(lines) and flow.arrival(self.reading, self.line, sorted(lines), present=True) is None

    def _nearest(self, lines: set[int], line: int) -> tuple[str, int] | None:
        at = sorted(map(abs, lines))
        before = [n for n in at if n <= abs(line)]
        return self.place(before[-1] if before else at[0]) if at else None
