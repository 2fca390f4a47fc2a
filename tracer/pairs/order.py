"""Does A come before B on every way to B, in each function that does both?

Takes two operands: a state and what is done to it (`Replica.refcnt_:augment-`), a call (`Class.method`), or a rule and
one of its actions (`mooncake.publish.commit#commit`). Makes one `Order` per function: always, sometimes (with a path to
B that passes no A) or never. A call counts as A if the callee does A on every way out, as B if it may do B, both to a
stated depth.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tracer.cues import CueMatcher
from tracer.errors import UsageError
from tracer.graph.members import member_uses
from tracer.graph.places import Match
from tracer.graph.uses import Uses
from tracer.graph.world import Sym, World
from tracer.pairs.ledger import Event, Events, lines_of, places_of
from tracer.pairs.rules import DEPTH, pair_rules
from tracer.reading import flow
from tracer.reading.statements import Reading
from tracer.rules import Cue, Rule, rules_for

OPS = ("read", "write", "augment+", "augment-", "augment", "insert", "remove", "clear", "call", "define")
Verdict = Literal["always", "sometimes", "never"]
_WITH_OP = re.compile(r"(?P<what>.+?)(?<!:):(?P<op>[a-z]+[+-]?)")


@dataclass(frozen=True, slots=True)
class Order:
    """One function that does both. `path`: lines of a way to B (its last line) that passes no A."""

    symbol: str
    file: str
    def_line: int
    verdict: Verdict
    a: tuple[int, ...]
    b: tuple[int, ...]
    path: tuple[int, ...] = ()


class Orders:
    """Answers in one world."""

    def __init__(
        self, world: World, engine: str, version: str, rules: Sequence[Path] = (),
        others: Mapping[str, str] | None = None,
    ) -> None:
        self.world = world
        self.cues = world.once(Uses).once(CueMatcher)
        self.rules = tuple(rules)
        self.versions = {engine: version, **(others or {})}  # the first is asked where a rule's name tells no engine

    def between(self, a: str, b: str, depth: int = DEPTH, inside: str = "") -> list[Order]:
        """Each function that does both, by file and line; `inside`: only functions of this name (or tail of it)."""
        events = self.gather(a, b, depth)
        settled = self._settled(events)
        out = [o for function in sorted(events.events) if (o := self._order(events, function, settled)) is not None]
        if inside:
            wanted = {Sym(f, i) for f, i in self.world.functions(inside)}
            out = [o for o in out if any(self._is(o, s) for s in wanted)]
        return sorted(out, key=lambda o: (o.file, o.def_line))

    def gather(self, a: str, b: str, depth: int = DEPTH) -> Events:
        """Who does A ("a") and B ("b"), also through what is called; `UsageError` where nothing does."""
        events = Events(self.cues)
        for kind, operand in (("a", a), ("b", b)):
            found = list(self._events(kind, operand))
            if not found:
                raise UsageError(f"nothing here is {operand!r}", todo="ask `tracer uses` what there is, with --op all")
            for event in found:
                events.add(event)
            self._climb(events, kind, depth)
        return events

    def _is(self, order: Order, function: Sym) -> bool:
        return self.world.symbol(function) == order.symbol

    # -- operands ------------------------------------------------------------------
    def _events(self, kind: str, operand: str) -> Iterator[Event]:
        for m in self._matches(operand):
            at = Sym(m.file, self.world.function_of(m.file, m.scope))
            if at.index >= 0 and not self.world.context(m.file):
                yield Event(kind, at, m.line, m)

    def _matches(self, operand: str) -> Iterable[Match]:
        name, _, action = operand.partition("#")
        if action or name.partition(".")[0] in self.versions:
            cues = self._cues(name, action)
            return [h.match for cue, rule in cues for h in self.cues.hits(replace(cue, lift=0, keep=True), rule)]
        found = _WITH_OP.fullmatch(operand)
        what, op = (found["what"], found["op"]) if found else (operand, "")
        if op and op not in OPS:
            raise UsageError(f"there is no op {op!r}", todo=f"use one of {', '.join(OPS)}")
        uses = self.cues.uses
        members = [m for m in member_uses(self.world, what) if m.op == "read"] if op in ("", "read") else []
        if members:
            return members
        if op == "call" or (not op and not uses.state(what)):
            return uses.called(what)
        if op == "define":
            return uses.defined(what)
        return [m for m in uses.state(what) if m.op != "init" and (not op or m.op == op or m.op[:-1] == op)]

    def _cues(self, name: str, action: str) -> list[tuple[Cue, Rule]]:
        engine = name.partition(".")[0]
        engine = engine if engine in self.versions else next(iter(self.versions))
        version = self.versions[engine]
        known = [r for r in rules_for(engine, version, self.rules) if r.id == name]
        if not known:
            known = [r.rule for r in pair_rules(name, engine, version, self.rules)]
        actions = sorted({n for r in known for n, cues in r.actions if cues})
        if action not in actions:
            raise UsageError(f"{name} has no action {action!r}", todo=f"write {name}#{' or #'.join(actions)}")
        return [(cue, r) for r in known for n, cues in r.actions if n == action for cue in cues]

    # -- following -----------------------------------------------------------------
    def _climb(self, events: Events, kind: str, depth: int) -> None:
        todo = {e.at: e for held in events.events.values() for e in held if e.kind == kind}
        seen: set[Sym] = set()
        for _ in range(depth):
            above: dict[Sym, Event] = {}
            for function, event in sorted(todo.items()):
                if function in seen:
                    continue
                seen.add(function)
                reading = events.reading(function)
                if kind == "a" and reading is not None and not self._always(events, function, reading):
                    continue
                for call in events.calls_of(function, kind, event.via):
                    if events.add(call):
                        above.setdefault(call.at, call)
            todo = above

    def _always(self, events: Events, function: Sym, reading: Reading) -> bool:
        """Whether every way out of `function` that does not raise passes an A."""
        lines = places_of([e for e in events.of(function, "a") if e.at == function], reading)
        if reading.first in lines:  # a function on one line
            return True
        ways = [e for e in flow.exits(reading) if e.kind not in ("raise", "throw")]
        return all(flow.escape(reading, reading.first, way, lines, present=True, lambdas=True) is None for way in ways)

    # -- answers -------------------------------------------------------------------
    def _settled(self, events: Events) -> set[Sym]:
        """The functions in which each B comes after an A that they, or who they call, do themselves."""
        todo = {function for function in events.events if events.of(function, "b")}
        settled: set[Sym] = set()
        while more := {function for function in todo - settled if self._settles(events, function, settled)}:
            settled |= more
        return settled

    def _settles(self, events: Events, function: Sym, settled: Collection[Sym]) -> bool:
        left = [e for e in events.of(function, "b") if not e.via or e.via[0] not in settled]
        if not left:
            return True
        order = self._order(events, function, settled)
        return order is not None and order.verdict == "always" and not _both(events.of(function, "a"), left)

    def _order(self, events: Events, function: Sym, settled: Collection[Sym]) -> Order | None:
        a, b = events.of(function, "a"), events.of(function, "b")
        reading = events.reading(function) if a and b else None
        if reading is None:
            return None
        inner = _both(a, b)
        # A call that does both is its callee's business; here only what stands around it can be judged.
        outside = [e for e in b if (e.line, e.via[:1]) not in inner]
        around = [e for e in a if (e.line, e.via[:1]) not in inner]
        open_ = [e for e in outside or b if not e.via or e.via[0] not in settled]
        if not open_:
            return self._said(function, "always", around, outside or b) if around else None
        if not outside:
            a = around
        a_at, b_at = places_of(a, reading), places_of(open_, reading)
        if not a_at:
            return None
        found = flow.always_before(reading, a_at, b_at, lambdas=True)
        if found.verdict == "unknown":
            return None
        follows = any(flow.may_follow(reading, x, y) for x in a_at for y in b_at if x != y)
        verdict: Verdict = "never"
        if follows:
            verdict = "always" if found.holds else "sometimes"
        return self._said(function, verdict, a, outside or b, found.path)

    def _said(
        self, function: Sym, verdict: Verdict, a: Collection[Event], b: Collection[Event], path: tuple[int, ...] = ()
    ) -> Order:
        d = self.world.definition(function)
        line = d.line if d else 1
        places = tuple(lines_of(a)), tuple(lines_of(b))
        return Order(self.world.symbol(function), self.world.path(function.file), line, verdict, *places, path)


def _both(a: Iterable[Event], b: Iterable[Event]) -> set[tuple[int, tuple[Sym, ...]]]:
    """The calls that do both."""
    return {(e.line, e.via[:1]) for e in a if e.via} & {(e.line, e.via[:1]) for e in b if e.via}
