"""Who acquires, releases, keeps and forgets, function by function, also through what they call.

Takes the cues of one pair and a world. Makes `Event`s: the rule's own matches, and for a function that releases (or
keeps) something that it did not acquire itself, its calls, up to the pair's depth. What stays held and climbs to the
callers, only `pairs.py` can tell: it asks here for a function's callers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from tracer.cues import CueMatcher
from tracer.graph.calls import CallSite
from tracer.graph.places import Match
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.pairs.rules import KINDS, PairRule
from tracer.reading import flow
from tracer.reading.statements import Reading
from tracer.rules import Cue
from tracer.survey.paths import parts
from tracer.survey.store import last_part

CALLERS_PER_FUNCTION = 60  # what is called from more places is a library by then and is not followed further
SURE_AFTER = 2  # a callee further down counts only if it does its work on every way out
_CLIMBING = ("release", "end", "keep")
SCOPE_ENDS = ("__exit__", "__aexit__", "__del__")
SCOPE_STARTS = ("__init__", "__enter__", "__aenter__", "__post_init__")


class Event(NamedTuple):
    """Something that a statement does: `kind` is acquire · held · release · end · keep · drop · scope
    · taken (a call that may leave something acquired: only for telling who gives back its own).

    `scope`: the statement makes an object that releases at the end of its scope. `via`: the functions down to the
    rule's own match, nearest first. `owner`: which state keeps or forgets.
    """

    kind: str
    at: Sym  # the function that holds the statement
    line: int
    match: Match
    via: tuple[Sym, ...] = ()
    owner: str = ""
    asked: tuple[tuple[str, bool], ...] = ()  # what names at the call have to be for it to happen


    @property
    def word(self) -> str:
        """The name that the statement calls or touches."""
        match = self.match
        path = match.call.callee if match.call is not None else match.access.target if match.access is not None else ""
        return last_part(next((p for p in reversed(parts(path)) if p[0] not in "[("), ""))

    def place(self, reading: Reading) -> int:
        """Where the statement stands in `reading` (`Reading.place`)."""
        return reading.place(self.line, self.word)


class Events:
    """Events by function, and the way to a function's callers."""

    def __init__(self, cues: CueMatcher) -> None:
        self.cues = cues
        self.world, self.uses, self.readings = cues.world, cues.uses, cues.readings
        self.events: dict[Sym, list[Event]] = {}  # by the outermost function
        self.crowded: set[Sym] = set()

    # -- events --------------------------------------------------------------------
    def add(self, event: Event) -> bool:
        """Take an event in; whether it is new."""
        held = self.events.setdefault(self.outer(event.at), [])
        if any((e.kind, e.at, e.line) == (event.kind, event.at, event.line) for e in held):
            return False
        held.append(event)
        return True

    def of(self, function: Sym, *kinds: str) -> list[Event]:
        """The events of the outermost function around `function`, by line."""
        return sorted((e for e in self.events.get(self.outer(function), ()) if e.kind in kinds), key=lambda e: e.line)

    def reading(self, function: Sym) -> Reading | None:
        """The reading of the outermost function around `function`."""
        return self.readings.of(function.file, function.index)

    def outer(self, function: Sym) -> Sym:
        """The outermost function around `function`."""
        return Sym(function.file, self.readings.outer(function.file, function.index))

    # -- callers -------------------------------------------------------------------
    @kept
    def callers(self, function: Sym) -> tuple[CallSite, ...]:
        """The calls of `function` in live code; none where there are too many to be its business."""
        found = tuple(c for c in self.uses.calls.callers(function) if not self.world.context(c.file))
        if len(found) > CALLERS_PER_FUNCTION:
            self.crowded.add(function)
            return ()
        return found

    def calls_of(self, function: Sym, kind: str, via: tuple[Sym, ...], owner: str = "") -> Iterator[Event]:
        """An event for each call of `function`, as seen in its callers."""
        for c in self.callers(function):
            at = Sym(c.file, self.world.function_of(c.file, c.call.scope))
            if at.index >= 0 and at != function:
                m = Match(c.file, c.call.scope, c.call.line, c.call.last, "call", c.basis, call=c.call)
                yield Event(kind, at, c.call.line, m, (function, *via), owner)


class Ledger(Events):
    """The events of one pair in one world."""

    def __init__(self, cues: CueMatcher, rule: PairRule) -> None:
        super().__init__(cues)
        self.rule = rule
        for kind in KINDS:
            for event in self._own(kind):
                self.add(event)
        self.releasing: set[Sym] = set()
        self._climb()

    def _own(self, kind: str) -> Iterator[Event]:
        for cue in self.rule.cues(kind):
            for hit in self.cues.hits(replace(cue, lift=0, keep=True), self.rule.rule):
                m = hit.match
                at = Sym(m.file, self.world.function_of(m.file, m.scope))
                if at.index >= 0 and not self.world.context(m.file):
                    yield Event(kind, at, m.line, m, (), self._owner(m, cue) if kind in ("keep", "drop") else "")

    def _owner(self, m: Match, cue: Cue) -> str:
        """Which of a cue's states a match is on, by its last name."""
        text = m.access.target if m.access is not None else m.call.callee if m.call is not None else ""
        named = [s for s in cue.state if last_part(s) in {i.lstrip(".") for i in parts(text)}]
        return (named or [*cue.state, ""])[0]

    def _climb(self) -> None:
        """What a function does with what it did not take itself, its callers do by calling it; level by level."""
        todo = {k: self._first(k) for k in ("acquire", *_CLIMBING)}
        seen: set[tuple[str, Sym]] = set()
        for step in range(1, self.rule.depth + 1):
            above: dict[str, dict[Sym, Event]] = {kind: {} for kind in todo}
            for kind, functions in todo.items():
                for function, event in sorted(functions.items()):
                    if (kind, function) in seen or not self._does(function, kind, sure=step > SURE_AFTER):
                        continue
                    seen.add((kind, function))
                    if kind == "release":
                        self.releasing.add(function)
                        self._scoped(function)
                    for call in self.calls_of(function, "taken" if kind == "acquire" else kind, event.via, event.owner):
                        if self.add(call):
                            above[kind].setdefault(call.at, call)
            todo = above

    def _first(self, kind: str) -> dict[Sym, Event]:
        return {e.at: e for events in self.events.values() for e in events if e.kind == kind}

    def _does(self, function: Sym, kind: str, *, sure: bool) -> bool:
        """Whether calling `function` releases, keeps or ends what its caller holds; `sure`: on every way out.

        For an acquire: whether it may leave something taken.
        """
        reading = self.reading(function)
        if reading is None:
            return kind != "end" and not sure
        taken = places_of([e for e in self.of(function, "acquire", "taken") if e.at == function], reading)
        if kind == "acquire":
            given = places_of([e for e in self.of(function, "release") if e.at == function], reading)
            return any(
                flow.escape(reading, line, way, given, present=True, lambdas=True) is not None
                for line in taken
                for way in flow.reachable_exits(reading, line)
            )
        lines = places_of([e for e in self.of(function, kind) if e.at == function], reading)
        if taken and all(line in taken or flow.arrival(reading, line, taken) is None for line in lines):
            return False
        if not sure and kind != "end":
            return True
        if reading.first in lines:  # a function on one line
            return True
        ways = flow.exits(reading)
        return all(flow.escape(reading, reading.first, way, lines, present=True) is None for way in ways)

    def _scoped(self, function: Sym) -> None:
        """A class whose destructor or `__exit__` releases: where it is made, something is released at scope end."""
        owner = self.world.owner(function)
        if owner is None or not (self.world.name(function).startswith("~") or self.ends_scope(function)):
            return
        for m in self.uses.constructed(self.world.symbol(owner)):
            at = Sym(m.file, self.world.function_of(m.file, m.scope))
            if at.index >= 0 and not self.world.context(m.file):
                self.add(Event("scope", at, m.line, m, (function,)))

    def ends_scope(self, function: Sym) -> bool:
        """Whether `function` is what runs at the end of its object's scope."""
        name = last_part(self.world.name(function))
        return name in SCOPE_ENDS or name.startswith("~")

    def ender(self, function: Sym) -> Sym | None:
        """For a constructor or `__enter__`: what releases when the object's scope ends, if something does."""
        owner = self.world.owner(function)
        if owner is None or not self._starts_scope(function, owner):
            return None
        names = (*SCOPE_ENDS, f"~{last_part(self.world.name(owner))}")
        ends = (m for c in self.world.mro(owner) for n in names for m in self.world.methods(c, n))
        return next((m for m in ends if m in self.releasing), None)

    def _starts_scope(self, function: Sym, owner: Sym) -> bool:
        name = last_part(self.world.name(function))
        return name in SCOPE_STARTS or name == last_part(self.world.name(owner))

    @kept
    def class_releases(self, function: Sym) -> bool:
        """Whether another method of the function's class releases, so that what is put into `self` can be found."""
        owner = self.world.owner(function)
        others = (e.at for events in self.events.values() for e in events if e.kind == "release")
        return owner is not None and any(at != function and self.world.owner(at) == owner for at in others)

    # -- owners --------------------------------------------------------------------
    @kept
    def released_fields(self) -> frozenset[str]:
        """Names of the fields that a releasing function touches: what is put there can be found and released."""
        out: set[str] = set()
        for outer, events in self.events.items():
            if not any(e.kind in ("release", "scope") for e in events):
                continue
            view = self.world.view(outer.file)
            inside = range(len(view.facts.definitions))
            for scope in (i for i in inside if self.readings.outer(outer.file, i) == outer.index):
                paths = [a.target for a in view.accesses.get(scope, ())] + [c.callee for c in view.calls.get(scope, ())]
                out |= {item.lstrip(".") for path in paths for item in parts(path)}
        return frozenset(out)


def places_of(events: Collection[Event], reading: Reading) -> list[int]:
    """Where they stand in `reading` (`Reading.place`), once each, in order."""
    return sorted({e.place(reading) for e in events}, key=lambda at: (abs(at), at))


def lines_of(events: Collection[Event]) -> list[int]:
    """Their lines, once each, in order."""
    return sorted({e.line for e in events})
