"""What one function hands to another: containers filled here and drained there, events set and waited for, tallies.

Producer and consumer are joined by the field that both use, never by likeness of names.
"""

from __future__ import annotations

from functools import cached_property

from tracer.derived.table import Key, State, Table
from tracer.graph.places import Match
from tracer.graph.threads import STARTERS
from tracer.graph.world import Sym
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

SIGNALS = frozenset({
    "set", "record", "record_event", "set_result", "set_exception", "notify", "notify_all", "notify_one", "set_value",
    "fire", "complete",
})
WAITS = frozenset({
    "wait", "query", "synchronize", "wait_event", "is_set", "result", "done", "wait_for", "wait_until", "elapsed_time",
})
MANY = 12  # filled or drained in more functions than this, a container hands over nothing in particular


class Handovers:
    """Derives producers and consumers from the table of states."""

    def __init__(self, table: Table) -> None:
        self.table, self.world, self.types = table, table.world, table.types

    @cached_property
    def handed_over(self) -> dict[Key, str]:
        """Containers filled by one function and drained by another that runs on its own, with the reason."""
        out = {}
        for key, state in self.table.states.items():
            filled = self.table.functions(state.of("insert"))
            drained = self.table.functions(state.of("remove", "clear"))
            if not filled or not drained - filled or len(filled) > MANY or len(drained) > MANY:
                continue
            if self.table.is_queue(key):
                out[key] = f"{self.table.name(key)} is a queue between threads"
            elif (filled ^ drained) & self.entries or self._swapped(state):
                one, other = self.world.name(min(filled)), self.world.name(min(drained - filled))
                out[key] = f"{self.table.name(key)} is filled by {one} and drained by {other}"
        return out

    def _swapped(self, state: State) -> bool:
        """Whether a function takes all that is there and leaves an empty container."""
        return any(self._both(state, m) for m in state.of("clear"))

    def _both(self, state: State, m: Match) -> bool:
        return any(self.table.function(r) == self.table.function(m) for r in state.of("read"))

    @cached_property
    def entries(self) -> frozenset[Sym]:
        """Functions that are started or called back: handed to a thread, a pool, a task, a callback."""
        out: set[Sym] = set()
        for number in range(self.world.size):
            if self.world.context(number):
                continue
            for c in self.world.view(number).facts.calls:
                if last_part(c.callee.split("<", 1)[0]) in STARTERS:
                    out |= {s for _, s in self.handed(number, c) if isinstance(s, Sym)}
            for i, d in enumerate(self.world.view(number).facts.definitions):
                if d.kind == "function" and "async" in d.flags:
                    out.add(Sym(number, i))
        return frozenset(out)

    def handed(self, number: int, c: Call) -> list[tuple[Sym, Sym | str]]:
        """(who, whom): the functions that a call hands over."""
        source = Sym(number, self.world.function_of(number, c.scope))
        return [(x[0], x[1]) for x in self.table.crossings.handed(number, c, source)]

    # -- events ------------------------------------------------------------------------
    @cached_property
    def signals(self) -> dict[Match, str]:
        """Calls that set an event, a future or a condition of which another function waits, with the reason."""
        return self._joined(0)

    @cached_property
    def waits(self) -> dict[Match, str]:
        """Calls that wait for an event, a future or a condition that another function sets, with the reason."""
        return self._joined(1)

    def _joined(self, side: int) -> dict[Match, str]:
        out = {}
        for key, ends in self._events.items():
            a, b = self.table.functions(ends[0]), self.table.functions(ends[1])
            if a and b and (a | b) - (a & b) and len(a) <= MANY and len(b) <= MANY:
                for m in ends[side]:
                    one, other = self.world.name(min(a)), self.world.name(min(b))
                    out[m] = f"{self.table.name(key)} is set in {one} and waited for in {other}"
        return out

    @cached_property
    def _events(self) -> dict[Key, tuple[list[Match], list[Match]]]:
        """Field that holds an event → the calls that set it, the calls that wait for it."""
        out: dict[Key, tuple[list[Match], list[Match]]] = {}
        for number in range(self.world.size):
            if self.world.context(number):
                continue
            for c in self.world.view(number).facts.calls:
                method = last_part(c.callee.rpartition(".")[2])
                if "." not in c.callee or (method not in SIGNALS and method not in WAITS):
                    continue
                for key in self._holders(number, c):
                    m = Match(number, c.scope, c.line, c.last, "call", "typed", call=c)
                    ends = out.setdefault(key, ([], []))
                    ends[method in WAITS].append(m)
        return out

    def _holders(self, number: int, c: Call) -> list[Key]:
        """The fields that hold the receiver: it is one, was taken out of one, or is put into one by this function."""
        receiver = parts(c.callee)[:-1]
        key = self.table.element_key(number, c.scope, join(receiver))
        if key is not None:
            return [key]
        if len(receiver) != 1 or not receiver[0].isidentifier() or receiver[0] in ("self", "this"):
            return []
        root, view, out = receiver[0], self.world.view(number), []
        for s in self.world.chain(number, c.scope):
            for b in view.binds.get((s, root), ()):
                if "." in b.value:
                    found = self.table.element_key(number, s, b.value)
                    out += [found] if found else []
            for a in view.accesses.get(s, ()):
                if a.op in ("insert", "write") and a.value == root:
                    found = self.table.key_of(number, s, a.target, local=True)
                    out += [found] if found else []
        return list(dict.fromkeys(out))

    # -- tallies -----------------------------------------------------------------------
    @cached_property
    def tally(self) -> dict[Key, str]:
        """Counters that only go up in one function and are compared in another, with the reason."""
        out = {}
        for key, state in self.table.states.items():
            up = self.table.functions(state.of("augment+"))
            seen = self.table.functions([m for m in state.tested() if m.access and _compares(m.access.text)])
            if up and seen - up and not state.of("augment-") and len(up) <= MANY and len(seen) <= MANY:
                one, other = self.world.name(min(up)), self.world.name(min(seen - up))
                out[key] = f"{self.table.name(key)} is counted up in {one} and compared in {other}"
        return out


def _compares(text: str) -> bool:
    return any(op in text for op in ("==", ">=", "<=", ">", "<", "!="))
