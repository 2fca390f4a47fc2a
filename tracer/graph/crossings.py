"""Where control crosses something that is no call: threads, tasks, callbacks, RPC, bindings, queues and shared state.

Generic detectors only; each gives links with the kind of what is crossed. What joins two ends is always something both
name: a function handed over, a member pointer, a bound name, a field. Nothing is joined by likeness of names alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from tracer.graph.aliases import Key
from tracer.graph.bindings import Bindings
from tracer.graph.calls import CallSite
from tracer.graph.declared import Declared
from tracer.graph.destruction import Destruction
from tracer.graph.flow import Flow
from tracer.graph.handoffs import MANY, Handoffs
from tracer.graph.passing import Passing
from tracer.graph.signals import ASKS, RECORDS, WAITS, Signals
from tracer.graph.sockets import Sockets
from tracer.graph.statuses import Statuses
from tracer.graph.stubs import Stubs
from tracer.graph.tables import Tables
from tracer.graph.threads import Threads
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Access, Call
from tracer.survey.paths import parts
from tracer.survey.store import last_part

Crossing = tuple[Sym, Sym | str, str, Basis, int, int]

_SENDS = re.compile(r"(invoke|call|send|request)", re.IGNORECASE)


class Crossings:
    """Finds the crossings of one world."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world, self.types = uses, uses.world, uses.types
        self.bound, self.stubs = Bindings(uses), Stubs(uses)
        self.threads = Threads(uses.calls)
        self.handoffs = Handoffs(uses, self.threads)
        flow = uses.world.once(Flow)
        self.sockets = Sockets(uses, self.handoffs.aliases)
        self.signals = Signals(uses, self.handoffs.sharing, flow)
        self.passing = Passing(uses, self.handoffs, flow, self._bound_to)
        self.statuses = Statuses(uses, self.handoffs.aliases)
        self.destruction = Destruction(uses)
        self.tables = Tables(uses, self.handoffs.aliases)

    @functools.cached_property
    def declared(self) -> Declared:
        """The crossings that rules declare."""
        return Declared(self.uses)

    @property
    def bindings(self) -> dict[str, tuple[Sym, ...]]:
        """Names that native code gives to Python → what runs."""
        return self.bound.names

    def _bound_to(self, sym: Sym) -> Iterator[Sym]:
        yield from self.bound.callers(sym)
        yield from self.declared.bound_to(sym)

    def of_file(self, number: int) -> Iterator[Crossing]:
        """Every crossing that starts in file `number`."""
        sources = self.world.sources(number)
        for call in self.world.view(number).facts.calls:
            yield from self._of_call(number, call, sources[call.scope])
        definitions = self.world.view(number).facts.definitions
        for index in (-1, *(i for i, d in enumerate(definitions) if d.kind == "function")):
            yield from self._shared(Sym(number, index))
            yield from self.passing.out_of(Sym(number, index))
        yield from self._events(number)
        yield from self.sockets.of_file(number)
        yield from self.declared.of_file(number)

    def out_of(self, sym: Sym, calls: Sequence[Call]) -> Iterator[Crossing]:
        """The crossings that start in one function, given its calls; state is looked up field by field."""
        for call in calls:
            yield from self._of_call(sym.file, call, sym)
        yield from self._shared(sym)
        yield from self.passing.out_of(sym)
        for crossing in self._events(sym.file):
            if crossing[0] == sym:
                yield crossing
        yield from self.sockets.out_of(sym)
        yield from self.declared.out_of(sym)

    def _of_call(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        """The crossings that `call`, in function `source`, makes by itself."""
        yield from self.handed(number, call, source)
        yield from self._picked(number, call, source)
        if self.world.view(number).python:
            yield from self.bound.out_of(number, call, source)
        else:
            yield from self._destroyed(number, call, source)
        if "&" in call.callee:
            yield from self._rpc(number, call, source)
        yield from self.stubs.out_of(number, call, source)
        yield from self.signals.out_of(number, call, source)

    # -- functions handed over -------------------------------------------------------
    def handed(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        """What is reached through the functions that a call is given, or by the thread that it starts."""
        for to in self.threads.started(number, call):
            if to != source:
                yield source, to, "thread", "typed", number, call.line
        kind = ""
        for arg in call.args:
            if not arg.path or arg.path[0] in "#?<":
                continue
            meant = list(self.threads.meant(number, call, arg))
            for to in meant:
                kind = kind or self.threads.kind(number, call)
                if to != source:
                    yield source, to, kind, "exact", number, call.line
                    if kind == "device":
                        yield source, to, "callback", "exact", number, call.line
            for to in self.threads.overriding(number, call, arg) if meant else ():
                if to != source:
                    yield source, to, kind, "inherited", number, call.line

    # -- RPC by member pointer ----------------------------------------------------------
    def _rpc(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        if "<&" not in call.callee.replace("< &", "<&"):
            return
        if not _SENDS.search(last_part(call.callee.split("<", 1)[0])):
            return
        pointer = call.callee.split("<", 1)[1].split(",")[0].strip(" &>")
        for target in self._member(pointer, number):
            yield source, target, "rpc", "declared", number, call.line

    def sent_to(self, sym: Sym) -> Iterator[CallSite]:
        """Calls that name `sym` as the member pointer of an RPC: its callers in other processes."""
        if self.world.view(sym.file).python:
            return
        name = last_part(self.world.symbol(sym))
        for number, call, pointer in self._pointers.get(name, ()):
            if sym in self._member(pointer, number):
                yield CallSite(number, call, "declared")

    @functools.cached_property
    def _pointers(self) -> dict[str, list[tuple[int, Call, str]]]:
        """Last name of a member pointer → the RPC calls that carry it."""
        out: dict[str, list[tuple[int, Call, str]]] = {}
        for name in sorted(n for n in self.world.names("c") if "rpc" in n.lower() and _SENDS.search(n)):
            for number in self.world.files_with("c", name):
                for call in self.world.view(number).facts.calls:
                    if name in call.callee and "<" in call.callee and "&" in call.callee:
                        pointer = call.callee.split("<", 1)[1].split(",")[0].strip(" &>")
                        out.setdefault(last_part(pointer), []).append((number, call, pointer))
        return out

    def _member(self, pointer: str, near: int) -> list[Sym]:
        """The definitions of `Class::method`, bodies before declarations."""
        found = [s for s in self.world.functions(pointer) if not self.world.view(s.file).python]
        bodies = [s for s in found if self.world.kind(s) == "function"]
        return sorted(bodies or found, key=lambda s: (s.file != near, s))[:8]

    # -- tables ------------------------------------------------------------------------
    def _picked(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        """What a call may pick from a table of functions."""
        for target in self.tables.out_of(number, call):
            if target != source:
                yield source, target, "dynamic", "declared", number, call.line

    def _destroyed(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        """What runs because `call` ends an object's life."""
        for target in self.destruction.out_of(number, call):
            if target != source:
                yield source, target, "call", "typed", number, call.line

    # -- state ------------------------------------------------------------------------
    def _shared(self, sym: Sym) -> Iterator[Crossing]:
        """What `sym` puts into a container that others take from."""
        for source, target, kind, file, line in self.handoffs.from_function(sym):
            yield source, target, kind, "declared", file, line
        for target, line in self.statuses.out_of(sym):
            yield sym, target, "state", "declared", sym.file, line

    def field_of(self, number: int, a: Access) -> Key | None:
        """The class and field that an access fills or drains; None for locals and unknown owners."""
        return next(iter(self.handoffs.aliases.keys(number, a.scope, a.target)), None)

    # -- events -----------------------------------------------------------------------
    @kept
    def _events(self, number: int) -> tuple[Crossing, ...]:
        """A device event recorded by A and waited for or asked by B under the same name in one file."""
        seen: dict[str, tuple[list[tuple[Sym, int]], list[Sym]]] = {}
        for call in self.world.view(number).facts.calls:
            items = parts(call.callee)
            method = items[-1].lstrip(".")
            if len(items) < 2 or (method not in RECORDS and method not in WAITS | ASKS):
                continue
            holder = next((i.lstrip(".") for i in reversed(items[:-1]) if i[0] not in "[("), "")
            if holder in ("", "self", "this"):
                continue
            function = Sym(number, self.world.function_of(number, call.scope))
            signals, observers = seen.setdefault(holder, ([], []))
            if method in RECORDS:
                signals.append((function, call.line))
            elif function not in observers:
                observers.append(function)
        return tuple(
            (function, to, "device", "by_name", number, line)
            for signals, observers in seen.values()
            for function, line in signals
            for to in observers[:MANY]
            if to != function
        )
