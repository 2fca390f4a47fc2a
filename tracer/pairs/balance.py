"""Is every acquire matched by a release on every way out? And does whoever forgets a receipt release what it records?

Takes a pair's `Ledger`. Makes one `Holder` per function that acquires (itself, or by calling a function that leaves
something held), that is entered holding, or that forgets a record; each of its exits with a verdict:
    released     a statement on every path to it releases, or the end of a scope does
    handed_over  an owner has it: a field or queue, a closure, an object's destructor, the caller
    missing      a path leads there on which nothing does; the path's lines are kept
An exit that reports failure cannot hand over to its caller. What a function leaves held is followed to its callers, up
to the pair's depth.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tracer.cues import CueMatcher
from tracer.graph.uses import Uses
from tracer.graph.world import Sym, World
from tracer.model import Gap
from tracer.pairs.closing import anchor
from tracer.pairs.holding import (
    asked_of,
    begins,
    fails,
    held_by,
    known_outside,
    passes,
    unreachable,
)
from tracer.pairs.ledger import Event, Ledger, lines_of
from tracer.pairs.rules import PairRule
from tracer.pairs.ways import Leaving, Ways, handed
from tracer.reading import flow
from tracer.reading.branches import Facts, absent, facts_at, impossible
from tracer.reading.leaving import Exit
from tracer.rules import enough

_WORST = {"released": 0, "handed_over": 1, "missing": 2}


@dataclass(frozen=True, slots=True)
class Holder:
    """A function that holds something: what `does` (acquire · held · drop), and its exits by line."""

    rule: str
    symbol: str
    file: str
    def_line: int
    does: str
    via: tuple[str, ...]
    exits: tuple[Leaving, ...]

    @property
    def missing(self) -> int:
        """How many exits miss a release."""
        return sum(1 for e in self.exits if e.verdict == "missing")


@dataclass(slots=True)
class _Case:
    """A function under judgement: its events of one kind, what was found so far."""

    events: list[Event]
    exits: dict[tuple[int, str], Leaving] = field(default_factory=dict)
    left: bool = False  # something stays held for the caller
    asked: list[Facts] = field(default_factory=list)  # what the caller has to pass for that, per event


def judge(world: World, rules: Iterable[PairRule], depth: int | None = None) -> tuple[list[Holder], list[Gap]]:
    """Every holder of each pair, by rule, file and line; a pair with fewer holders than it expects is a gap.

    `depth` overrides the rules' own.
    """
    cues = matcher(world)
    found = [judge_pair(cues, rule, depth) for rule in rules]
    return [h for holders, _ in found for h in holders], [g for _, gaps in found for g in gaps]


def matcher(world: World) -> CueMatcher:
    """What the pairs of one world are judged with."""
    return world.once(Uses).once(CueMatcher)


def judge_pair(cues: CueMatcher, rule: PairRule, depth: int | None = None) -> tuple[list[Holder], list[Gap]]:
    """The same for one pair."""
    judged = Judge(Ledger(cues, rule if depth is None else replace(rule, depth=depth)))
    holders, gaps = judged.holders(), []
    if rule.expect and not enough(len(holders), rule.expect):
        gaps.append(Gap(rule.id, f"{len(holders)} functions hold it (expected {rule.expect})"))
    return holders, gaps + judged.gaps()


class Judge:
    """Judges the exits of one pair's holders."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.world = ledger, ledger.world
        self.cases: dict[tuple[str, Sym], _Case] = {}

    def holders(self) -> list[Holder]:
        """All holders, by file and line."""
        for kind in ("acquire", "held", "drop"):
            self._follow(kind)
        out = [self._holder(kind, function, case) for (kind, function), case in self.cases.items() if case.exits]
        return sorted(out, key=lambda h: (h.file, h.def_line, h.does))

    def gaps(self) -> list[Gap]:
        """Functions that are called from too many places to be followed."""
        names = sorted(self.world.symbol(s) for s in self.ledger.crowded)
        return [Gap(n, "is called from too many places; its callers were not followed") for n in names]

    # -- following -----------------------------------------------------------------
    def _follow(self, kind: str) -> None:
        """Judge the functions with events of `kind`, then the callers of those that leave something held."""
        todo: dict[Sym, list[Event]] = {}
        for events in self.ledger.events.values():
            for e in events:
                if e.kind == kind:
                    todo.setdefault(e.at, []).append(e)
        for level in range(self.ledger.rule.depth + 1):
            above: dict[Sym, list[Event]] = {}
            for function in sorted(todo):
                case = self.cases.setdefault((kind, function), _Case([]))
                known = {e.line for e in case.events}
                new = [e for e in todo[function] if e.line not in known]
                case.events += new
                before = case.left
                for event in new:
                    self._judge(kind, event, case, last=level == self.ledger.rule.depth)
                if case.left and not before and level < self.ledger.rule.depth:
                    for call in self.ledger.calls_of(function, kind, new[0].via, new[0].owner):
                        if kind == "drop" and not self._near(function, call.at.file):
                            continue
                        given = [passes(self.ledger, function, call, facts) for facts in case.asked]
                        if given and all(g is None for g in given):
                            continue
                        if given and all(given):
                            wanted = next(g for g in given if g)
                            call = call._replace(asked=tuple(sorted(wanted.items())))
                        if self.ledger.outer(call.at) != self.ledger.outer(function):
                            above.setdefault(call.at, []).append(call)
                            self.ledger.add(call)
            todo = above

    def _near(self, function: Sym, file: int) -> bool:
        """Whether `file` is the function's own module: a header and its source count as one.

        Who forgets a record is judged there; others cannot know that something was left to do.
        """
        mine, other = (self.world.path(n).rpartition("/")[2].rpartition(".")[0] for n in (function.file, file))
        return mine == other

    def _judge(self, kind: str, event: Event, case: _Case, *, last: bool) -> None:
        reading = self.ledger.reading(event.at)
        if reading is None:
            return
        line = anchor(reading, event.place(reading))
        line = begins(reading, line) if kind == "acquire" else line
        held = held_by(self.ledger, event, reading)
        facts = facts_at(reading, line)
        if kind == "drop" and (absent(reading, line, facts) or self._recorded_only(event, facts)):
            return  # a record is forgotten because what it is about is gone, or was never held
        never = impossible(reading, line, facts | held.facts)
        for behind, more in held.later:
            never += impossible(reading, behind, more)
        ways = Ways(self.ledger, event, line, held, reading, never)
        for leaving in flow.reachable_exits(
            reading, line, when=held.when, exceptions=self.ledger.rule.exceptions, never=never, calm=True
        ):
            if unreachable(leaving):
                continue
            found = ways.verdict(leaving)
            if found is None or (found.verdict == "handed_over" and self.ledger.ender(event.at) is not None):
                found = self._left(kind, event, leaving, ways, case, last)
            key = (leaving.line, leaving.kind)
            old = case.exits.get(key)
            if old is None or _WORST[found.verdict] > _WORST[old.verdict]:
                case.exits[key] = found

    def _recorded_only(self, event: Event, facts: Facts) -> bool:
        """Whether a switch says so: whoever records holds it only if `x` fails, and here `x` holds (or the reverse)."""
        owner = self.world.owner(event.at)
        keeping = {
            e.at for held in self.ledger.events.values() for e in held
            if e.kind == "keep" and e.owner == event.owner and self.world.owner(e.at) == owner
        }
        taken = [e for at in sorted(keeping) for e in self.ledger.of(at, "acquire") if e.at == at]
        known = []
        for e in taken:
            reading = self.ledger.reading(e.at)
            known.append(asked_of(self.ledger, e, facts_at(reading, e.line)) if reading is not None else {})
        return bool(known) and all(any(facts.get(name) is (not holds) for name, holds in k.items()) for k in known)

    def _left(self, kind: str, event: Event, leaving: Exit, ways: Ways, case: _Case, last: bool) -> Leaving:
        """The verdict on an exit at which it is still held."""
        function = event.at
        missing = Leaving(leaving.line, leaving.kind, "missing", event.line, path=ways.path)
        if kind == "held" or (kind == "drop" and ways.releases):
            return missing
        ender = self.ledger.ender(function)
        if ender is not None:
            d = self.world.definition(ender)
            by = (self.world.path(ender.file), d.line if d else 1)
            return handed(missing, "the end of its object's scope", by, "followed")
        if kind == "acquire" and fails(leaving) and (ways.releases or event.via):
            return missing
        back = ways.back(leaving)
        if kind == "acquire" and not back and not known_outside(self.ledger, event, ways.held):
            at, owner = ways.passed(leaving), "what it is passed to"
            if not at and len(event.via) > 1:  # two calls down, and nothing comes back: it is that callee's business
                at, owner = event.line, "the function that is called"
            return handed(missing, owner, ways.place(at), "assumed") if at else missing
        calls = [c for c in self.ledger.callers(function) if kind != "drop" or self._near(function, c.file)]
        if calls:
            case.left = True
            if kind == "acquire":
                case.asked.append(asked_of(self.ledger, event, facts_at(ways.reading, event.line)))
            by = (self.world.path(calls[0].file), calls[0].call.line)
            owner = "its callers, beyond the depth" if last else "its callers"
            return handed(missing, owner, by, "assumed" if last else "followed")
        if kind == "acquire":
            owner = "the return value" if back else "a caller outside of this source"
            return handed(missing, owner, ways.place(leaving.line), "assumed")
        return missing

    # -- results -------------------------------------------------------------------
    def _holder(self, kind: str, function: Sym, case: _Case) -> Holder:
        d = self.world.definition(function)
        event = min(case.events, key=lambda e: (len(e.via), e.line))
        return Holder(
            rule=self.ledger.rule.id,
            symbol=self.world.symbol(function),
            file=self.world.path(function.file),
            def_line=d.line if d else 1,
            does=kind,
            via=tuple(self.world.symbol(s) for s in event.via),
            exits=tuple(case.exits[k] for k in sorted(case.exits)),
        )


__all__ = ["Holder", "Judge", "Leaving", "judge", "lines_of"]
