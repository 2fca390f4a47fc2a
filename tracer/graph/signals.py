"""Signals: A records, sets or notifies what B waits for, polls or asks, joined by the field that holds it.

Takes calls on events, condition variables, futures and notifiers. The field is found through locals, through what a
record is made with, and through functions that give the notifier (or its file descriptor) to a polling loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tracer.graph.aliases import Key
from tracer.graph.flow import Flow
from tracer.graph.sharing import Sharing
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Access, Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

RECORDS = frozenset({"record", "record_event"})
SIGNALS = RECORDS | {"set", "notify", "notify_all", "notify_one", "set_result", "set_exception", "signal"}
WAITS = frozenset(
    {"wait", "wait_for", "wait_until", "synchronize", "wait_event", "wait_stream", "synchronize_event", "consume"}
)
ASKS = frozenset({"is_set", "query", "query_event", "done", "elapsed_time"})
_POLLS = frozenset({"poll", "select", "epoll_wait"})
_ASYNC = ("asyncio.Event", "asyncio.Condition", "asyncio.Future")
MANY = 24  # a signal with more observers joins nobody in particular
SHORT = 4  # lines of a function that does nothing but wait
NEAR = 3  # lines from where a descriptor is asked for to where it is kept
SMALL = 12  # lines of a function that does no more than ask
Crossing = tuple[Sym, Sym | str, str, Basis, int, int]


class Observer(NamedTuple):
    """A function that waits for a signal or asks for it; `how` is wait or ask."""

    function: Sym
    how: str


class Signals:
    """Joins signals and observers in one world."""

    def __init__(self, uses: Uses, sharing: Sharing, flow: Flow) -> None:
        self.uses, self.world, self.types, self.flow = uses, uses.world, uses.types, flow
        self.sharing, self.aliases = sharing, sharing.aliases

    def out_of(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        """Who observes what `call`, in function `source`, signals."""
        method = last_part(call.callee)
        if method not in SIGNALS or self.world.context(number):
            return
        for key in self.aliases.carried(self._held(number, call.scope, call, method, RECORDS)):
            observers = self.observers(key)
            for o in observers if len(observers) <= MANY else ():
                if o.function != source:
                    yield source, o.function, self._kind(key, method, o.how), "declared", number, call.line

    def _kind(self, key: Key, method: str, how: str) -> str:
        if method in RECORDS:
            return "device"
        if how == "ask":
            return "state"
        held = (str(t.ref) for t in self.types.attribute_of(key[0], key[1]) if t.kind == "ext")
        return "async" if any(ref in _ASYNC for ref in held) else "thread"

    # -- which field ----------------------------------------------------------------------
    def _held(
        self, number: int, scope: int, call: Call, method: str, by_argument: frozenset[str]
    ) -> tuple[Key, ...]:
        """The fields that hold what the call is made on or, for functions of a library, what it is given."""
        paths = [join(parts(call.callee)[:-1])]
        if "_" in method and (method in by_argument or method in WAITS | ASKS):
            paths += [a.path for a in call.args]
        return tuple(dict.fromkeys(k for p in paths for k in self._places(number, scope, p)))

    def _places(self, number: int, scope: int, path: str) -> Iterator[Key]:
        """The fields that `path` stands for, and those that a local is put into."""
        yield from self.aliases.keys(number, scope, path)
        if not path.isidentifier():
            return
        view = self.world.view(number)
        for a in view.accesses.get(scope, ()):
            if a.value == path and a.op in ("write", "insert"):
                yield from self.aliases.keys(number, scope, a.target)
        for call in view.calls.get(scope, ()):
            yield from self.aliases.made_with(number, call, path)

    # -- who observes -----------------------------------------------------------------------
    @kept
    def observers(self, key: Key) -> tuple[Observer, ...]:
        """The functions of live code that wait for, poll or ask what the field holds."""
        out: dict[Observer, None] = {}
        for same in self.sharing.same(key):
            for number in self.world.files_with("u", same[1]):
                if not self.world.context(number):
                    out |= dict.fromkeys(self._observing(number, same))
        for o in list(out):
            out |= dict.fromkeys(self._lifted(o))
        return tuple(sorted(out))

    def _observing(self, number: int, key: Key) -> Iterator[Observer]:
        view = self.world.view(number)
        for call in view.facts.calls:
            method = last_part(call.callee)
            if method in WAITS or method in ASKS:
                if key in self._held(number, call.scope, call, method, frozenset()):
                    how = "wait" if method in WAITS else "ask"
                    yield Observer(Sym(number, self.world.function_of(number, call.scope)), how)
            elif method == "fileno" and key in self.aliases.keys(number, call.scope, join(parts(call.callee)[:-1])):
                yield from self._descriptor(number, call)
        for b in view.facts.binds:
            if b.name == "return" and key[1] in b.value and key in self.aliases.keys(number, b.scope, b.value):
                yield from self._given_out(Sym(number, self.world.function_of(number, b.scope)))

    def _descriptor(self, number: int, call: Call) -> Iterator[Observer]:
        """`self.notifier.fileno()`: polled here, given out, or registered for the class's own loop."""
        function = Sym(number, self.world.function_of(number, call.scope))
        if self._polls(function):
            yield Observer(function, "wait")
        elif self.flow.comes_back(function, call):
            yield from self._given_out(function)

    def _given_out(self, function: Sym) -> Iterator[Observer]:
        """The loops that poll what `function` gives: its callers, or who polls the fields that they keep it in."""
        for site in self.uses.calls.callers(function):
            caller = Sym(site.file, self.world.function_of(site.file, site.call.scope))
            if self._polls(caller):
                yield Observer(caller, "wait")
                continue
            for a in self.world.view(site.file).accesses.get(site.call.scope, ()):
                if a.op in ("insert", "write") and a.line - NEAR <= site.call.line <= a.last:
                    yield from self._loops_over(site.file, a)

    def _loops_over(self, number: int, a: Access) -> Iterator[Observer]:
        for key in self.aliases.keys(number, a.scope, a.target):
            owner = key[0]
            for index, d in enumerate(self.world.view(owner.file).facts.definitions):
                loop = Sym(owner.file, index)
                if d.kind == "function" and self.world.owner(loop) == owner and self._polls(loop):
                    reads = self.world.view(owner.file).accesses.get(index, ())
                    binds = (b for b in self.world.view(owner.file).facts.binds if b.scope == index)
                    if any(key[1] in r.target for r in reads) or any(key[1] in b.value for b in binds):
                        yield Observer(loop, "wait")

    def _polls(self, function: Sym) -> bool:
        return any(last_part(c.callee) in _POLLS for c in self.world.view(function.file).calls.get(function.index, ()))

    def _lifted(self, o: Observer) -> Iterator[Observer]:
        """A small function that gives back whether the signal is there, or only waits, does so for its callers."""
        d = self.world.definition(o.function)
        if d is None or d.last - d.line > (SMALL if self.flow.gives(o.function) else SHORT):
            return
        callers = self.uses.calls.callers(o.function)
        functions = {Sym(s.file, self.world.function_of(s.file, s.call.scope)) for s in callers}
        if len(functions) <= MANY:
            yield from (Observer(f, o.how) for f in sorted(functions) if not self.world.context(f.file))
