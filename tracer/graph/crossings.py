"""Where control crosses something that is no call: threads, tasks, callbacks, RPC, bindings, queues and shared state.

Generic detectors only; each gives links with the kind of what is crossed. What joins two ends is always something both
name: a function handed over, a member pointer, a bound name, a field. Nothing is joined by likeness of names alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from tracer.graph.bindings import Bindings
from tracer.graph.calls import CallSite
from tracer.graph.declared import Declared
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.model import Basis
from tracer.survey.facts import Access, Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

Crossing = tuple[Sym, Sym | str, str, Basis, int, int]

# Library calls that run what they are given, and what is crossed by that.
STARTERS = {
    "Thread": "thread",
    "Timer": "thread",
    "Process": "process",
    "submit": "thread",
    "run_in_executor": "thread",
    "to_thread": "thread",
    "create_task": "async",
    "ensure_future": "async",
    "run_coroutine_threadsafe": "async",
    "gather": "async",
    "call_soon_threadsafe": "thread",
    "call_soon": "async",
    "call_later": "async",
    "add_done_callback": "callback",
    "thread": "thread",
    "jthread": "thread",
    "async": "thread",
    "post": "async",
    "spawn": "async",
    "start_soon": "async",
    "apply_async": "thread",
    "enqueue": "thread",
    "register_forward_hook": "callback",
}
_SENDS = re.compile(r"(invoke|call|send|request)", re.IGNORECASE)
_FILL = frozenset({"insert"})
_DRAIN = frozenset({"remove", "clear"})
_OBSERVE = frozenset({"query", "synchronize", "wait", "elapsed_time", "wait_event", "is_set"})
_SIGNAL = frozenset({"record", "set", "notify", "notify_all", "notify_one"})
MANY = 24  # a state filled or drained in more functions than this joins nobody in particular


class Crossings:
    """Finds the crossings of one world."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world, self.types = uses, uses.world, uses.types
        self.bound = Bindings(uses)

    @functools.cached_property
    def declared(self) -> Declared:
        """The crossings that rules declare."""
        return Declared(self.uses)

    @property
    def bindings(self) -> dict[str, tuple[Sym, ...]]:
        """Names that native code gives to Python → what runs."""
        return self.bound.names

    def of_file(self, number: int) -> Iterator[Crossing]:
        """Every crossing that starts in file `number`."""
        for call in self.world.view(number).facts.calls:
            source = Sym(number, self.world.function_of(number, call.scope))
            yield from self._handed(number, call, source)
            yield from self._rpc(number, call, source)
            yield from self.bound.out_of(number, call, source)
        yield from self._shared(number)
        yield from self._events(number)
        yield from self.declared.of_file(number)

    def out_of(self, sym: Sym, calls: Sequence[Call]) -> Iterator[Crossing]:
        """The crossings that start in one function, given its calls; state is looked up field by field."""
        for call in calls:
            yield from self._handed(sym.file, call, sym)
            yield from self._rpc(sym.file, call, sym)
            yield from self.bound.out_of(sym.file, call, sym)
        for a in self.world.view(sym.file).facts.accesses:
            if a.op not in _FILL or self.world.function_of(sym.file, a.scope) != sym.index:
                continue
            key = self.field_of(sym.file, a)
            drainers = self._drainers(key) if key else ()
            if key and len(drainers) <= MANY:
                kind = "thread" if self._waits(key) else "state"
                yield from ((sym, to, kind, "declared", sym.file, a.line) for to in drainers if to != sym)
        for crossing in self._events(sym.file):
            if crossing[0] == sym:
                yield crossing
        yield from self.declared.out_of(sym)

    @functools.cache  # noqa: B019
    def _drainers(self, key: tuple[Sym, str]) -> tuple[Sym, ...]:
        """Functions of live code that drain the field."""
        found = (m for m in self.uses.state(f"{self.world.symbol(key[0])}.{key[1]}") if m.op in _DRAIN)
        live = (Sym(m.file, self.world.function_of(m.file, m.scope)) for m in found if not self.world.context(m.file))
        return tuple(dict.fromkeys(live))

    # -- functions handed over -------------------------------------------------------
    def _handed(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        name = last_part(call.callee.split("<", 1)[0])
        kind = STARTERS.get(name, "callback")
        for arg in call.args:
            path = arg.path
            if not path or path[0] in "#?<":
                continue
            runs = path.endswith("()") and kind in ("async", "thread")  # a coroutine made here and run there
            path = path.removesuffix("()") if runs else path
            if path.endswith("()"):
                continue
            for t in self.types.of(number, call.scope, path):
                if t.kind == "fn" and isinstance(t.ref, Sym) and t.ref != source:
                    yield source, t.ref, kind, "exact", number, call.line

    # -- RPC by member pointer ----------------------------------------------------------
    def _rpc(self, number: int, call: Call, source: Sym) -> Iterator[Crossing]:
        if "<&" not in call.callee.replace("< &", "<&") or not _SENDS.search(last_part(call.callee.split("<", 1)[0])):
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

    # -- state ------------------------------------------------------------------------
    def _shared(self, number: int) -> Iterator[Crossing]:
        """A fills a container that B drains: an edge from every filler to every drainer of the same field."""
        for function, line, kind, drainers in self._fills.get(number, ()):
            for to in drainers:
                if to != function:
                    yield function, to, kind, "declared", number, line

    @functools.cached_property
    def _fills(self) -> dict[int, list[tuple[Sym, int, str, list[Sym]]]]:
        """File → what its functions fill, where, the kind of hand-over, and who drains it."""
        out: dict[int, list[tuple[Sym, int, str, list[Sym]]]] = {}
        for key, (fillers, drainers) in self._hands.items():
            if len(drainers) <= MANY and len(fillers) <= MANY:
                kind = "thread" if self._waits(key) else "state"
                for file, function, line in fillers:
                    out.setdefault(file, []).append((function, line, kind, drainers))
        return out

    @functools.cached_property
    def _hands(self) -> dict[tuple[Sym, str], tuple[list[tuple[int, Sym, int]], list[Sym]]]:
        out: dict[tuple[Sym, str], tuple[list[tuple[int, Sym, int]], list[Sym]]] = {}
        for number in range(self.world.size):
            if self.world.context(number):
                continue
            for a in self.world.view(number).facts.accesses:
                if a.op not in _FILL and a.op not in _DRAIN:
                    continue
                key = self.field_of(number, a)
                if key is None:
                    continue
                function = Sym(number, self.world.function_of(number, a.scope))
                fillers, drainers = out.setdefault(key, ([], []))
                if a.op in _FILL:
                    fillers.append((number, function, a.line))
                elif function not in drainers:
                    drainers.append(function)
        return {k: v for k, v in out.items() if v[0] and v[1]}

    def field_of(self, number: int, a: Access) -> tuple[Sym, str] | None:
        """The class and field that an access fills or drains; None for locals and unknown owners."""
        items = parts(a.target)
        while items and items[-1][0] == "[":
            items = items[:-1]
        if len(items) == 1 and not self.world.view(number).python:
            owner = self.world.owner(Sym(number, self.world.function_of(number, a.scope)))
            return (
                (self._declarer(owner, items[0]), items[0])
                if owner and items[0].isidentifier() and self._declares(owner, items[0])
                else None
            )
        if len(items) < 2 or items[-1][0] != ".":
            return None
        name = items[-1][1:]
        for t in self.types.of(number, a.scope, join(items[:-1])):
            if t.kind == "obj" and isinstance(t.ref, Sym):
                return self._declarer(t.ref, name), name
        return None

    def _declares(self, cls: Sym, name: str) -> bool:
        return any((c.index, name) in self.world.view(c.file).fields for c in self.world.mro(cls))

    def _declarer(self, cls: Sym, name: str) -> Sym:
        """The ancestor that declares the field, so that subclasses share it."""
        return next(
            (c for c in reversed(self.world.mro(cls)) if (c.index, name) in self.world.view(c.file).fields), cls
        )

    def _waits(self, key: tuple[Sym, str]) -> bool:
        """Whether the field is a queue between threads."""
        types = self.types.attribute_of(key[0], key[1])
        return any(
            t.kind == "ext" and str(t.ref).rsplit(".", 1)[-1] in ("Queue", "SimpleQueue", "PriorityQueue", "LifoQueue")
            for t in types
        ) or any(t.kind == "obj" and isinstance(t.ref, Sym) and "Queue" in self.world.symbol(t.ref) for t in types)

    # -- events -----------------------------------------------------------------------
    def _events(self, number: int) -> Iterator[Crossing]:
        """An event recorded or set by A and waited for or asked by B, joined by the field that holds it."""
        seen: dict[str, tuple[list[tuple[Sym, int]], list[Sym]]] = {}
        for call in self.world.view(number).facts.calls:
            items = parts(call.callee)
            method = items[-1].lstrip(".")
            if len(items) < 2 or (method not in _SIGNAL and method not in _OBSERVE):
                continue
            holder = next((i.lstrip(".") for i in reversed(items[:-1]) if i[0] not in "[("), "")
            if holder in ("", "self", "this"):
                continue
            function = Sym(number, self.world.function_of(number, call.scope))
            signals, observers = seen.setdefault(holder, ([], []))
            if method in _SIGNAL:
                signals.append((function, call.line))
            elif function not in observers:
                observers.append(function)
        for signals, observers in seen.values():
            for function, line in signals:
                for to in observers[:MANY]:
                    if to != function:
                        yield function, to, "device", "by_name", number, line
