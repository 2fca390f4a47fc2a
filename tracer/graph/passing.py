"""Hand-offs through small functions: who puts in by calling `push(x)`, who takes out by calling `drain()`, who looks.

`handoffs.py` joins the functions that touch a container themselves. Here the hand-off is followed one step further: a
function that stores its own parameter stores for its callers, and one that returns what it took has taken it for
them, beyond a binding too. Who only tests for an element, or reads a record that others fill, is a reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tracer.graph.aliases import Key
from tracer.graph.flow import Flow
from tracer.graph.handoffs import FILL, MANY, Handoffs
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Call
from tracer.survey.paths import parts
from tracer.survey.store import last_part

READERS = 8  # a container that more functions look into is an index, no hand-off
_LOCKS = ("mutex", "lock", "condition", "semaphore")
Crossing = tuple[Sym, Sym | str, str, Basis, int, int]
Native = Callable[[Sym], Iterator[Sym]]  # the Python functions that run a native one


class Passing:
    """Follows hand-offs through the functions around them, in one world."""

    def __init__(self, uses: Uses, handoffs: Handoffs, flow: Flow, bound_to: Native) -> None:
        self.uses, self.world, self.types = uses, uses.world, uses.types
        self.handoffs, self.flow, self.bound_to = handoffs, flow, bound_to

    def out_of(self, sym: Sym) -> Iterator[Crossing]:
        """Where goes what `sym` puts into a container, by itself or by a function that it gives it to."""
        if self.world.context(sym.file):
            return
        view = self.world.view(sym.file)
        for a in view.accesses.get(sym.index, ()):
            if a.op in FILL:
                for key in self.handoffs.aliases.keys(sym.file, sym.index, a.target):
                    for to in (*self.takers(key), *self.readers(key, sym)):
                        yield from self._joined(sym, to, key, sym.file, a.line)
        for call in view.calls.get(sym.index, ()):
            for key in self._stored(sym.file, call):
                for to in (*self.handoffs.drainers(key)[:MANY], *self.takers(key)):
                    yield from self._joined(sym, to, key, sym.file, call.line)

    def _joined(self, source: Sym, to: Sym, key: Key, number: int, line: int) -> Iterator[Crossing]:
        if to == source:
            return
        kinds = self.handoffs.kinds(key, to)
        if "thread" not in kinds and self._guarded(key[0]):
            kinds = (*kinds, "thread")
        for kind in kinds:
            yield source, to, kind, "declared", number, line

    @kept
    def _guarded(self, cls: Sym) -> bool:
        """Whether the class has a lock: more than one thread is meant."""
        fields = (f for f in self.world.view(cls.file).facts.fields if f.owner == cls.index)
        return any(word in f"{f.annotation} {f.value}".lower() for f in fields for word in _LOCKS)

    # -- putting in -------------------------------------------------------------------------
    def _stored(self, number: int, call: Call) -> Iterator[Key]:
        """The containers into which a function puts what `call` gives it."""
        if call.args:
            for t in self.uses.calls.targets(number, call)[:READERS]:
                if isinstance(t.to, Sym):
                    yield from self._stores(t.to)

    @kept
    def _stores(self, sym: Sym) -> tuple[Key, ...]:
        """The containers into which `sym` puts one of its parameters."""
        d = self.world.definition(sym)
        if d is None or d.kind != "function" or self.world.context(sym.file) or last_part(d.name) == "__init__":
            return ()
        accesses = self.world.view(sym.file).accesses.get(sym.index, ())
        stored = [a for a in accesses if a.op in FILL and self.flow.from_parameter(sym, a)]
        keys = (k for a in stored for k in self.handoffs.aliases.keys(sym.file, sym.index, a.target))
        return tuple(k for k in dict.fromkeys(keys) if len(self.handoffs.drainers(k)) <= MANY)

    def subscribed(self, number: int, call: Call) -> bool:
        """Whether the call is made on each of the objects that others have put into a list: on its subscribers."""
        items = parts(call.callee)
        if len(items) != 2:
            return False
        view, scopes = self.world.view(number), self.world.chain(number, call.scope)
        if not any(b.value.endswith("[*]") for s in scopes for b in view.binds.get((s, items[0]), ())):
            return False
        return any(self._from_outside(k) for k in self.handoffs.aliases.keys(number, call.scope, items[0]))

    @kept
    def _from_outside(self, key: Key) -> bool:
        """Whether a method other than the constructor puts its parameter into the container."""
        view = self.world.view(key[0].file)
        fillers = {a.scope for a in view.facts.accesses if a.op in FILL and key[1] in a.target}
        return any(key in self._stores(Sym(key[0].file, s)) for s in sorted(fillers) if s >= 0)

    # -- taking out ---------------------------------------------------------------------------
    @kept
    def takers(self, key: Key) -> tuple[Sym, ...]:
        """The functions that get what another took out of the container for them."""
        drainers = self.handoffs.drainers(key)
        if len(drainers) > MANY:
            return ()
        out: dict[Sym, None] = {}
        for drainer in drainers:
            for first in self._gets(drainer):
                out[first] = None
                if not self.world.view(drainer.file).python:  # a native wrapper, then Python
                    out |= dict.fromkeys(self._gets(first))
        return tuple(out) if len(out) <= MANY else ()

    def _gets(self, taker: Sym) -> Iterator[Sym]:
        """Who gets what `taker` returns: its callers, also through a binding."""
        if not self.flow.gives(taker):
            return
        for site in self.uses.calls.callers(taker):
            caller = Sym(site.file, self.world.function_of(site.file, site.call.scope))
            if site.call.how != "statement" and not self.world.context(site.file):
                yield caller
        yield from self.bound_to(taker)

    # -- looking -----------------------------------------------------------------------------------
    def readers(self, key: Key, filler: Sym) -> Iterator[Sym]:
        """Functions that test for an element of what is drained elsewhere, or read a record that others fill."""
        tested, read = self._looks(key)
        if self.handoffs.drainers(key):
            yield from tested if len(tested) <= READERS else ()
        elif self._outside(key, filler):
            yield from (r for r in read if self._outside(key, r)) if len(read) <= READERS else ()

    def _outside(self, key: Key, sym: Sym) -> bool:
        owner = self.world.owner(sym)
        return owner is None or not (self.world.is_a(owner, key[0]) or self.world.is_a(key[0], owner))

    @kept
    def _looks(self, key: Key) -> tuple[tuple[Sym, ...], tuple[Sym, ...]]:
        """Functions that test the container, and functions that read it at all."""
        tested: dict[Sym, None] = {}
        read: dict[Sym, None] = {}
        for number in self.world.files_with("u", key[1]):
            if self.world.context(number):
                continue
            for a in self.world.view(number).looks.get(key[1], ()):
                path = a.target if a.op == "read" else a.value
                if key in self.handoffs.aliases.keys(number, a.scope, path):
                    function = Sym(number, self.world.function_of(number, a.scope))
                    read[function] = None
                    if a.test:
                        tested[function] = None
        return tuple(tested), tuple(read)
