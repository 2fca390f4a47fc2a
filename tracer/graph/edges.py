"""Calls and crossings of a world → edges: who reaches whom, how, and how sure that is.

An edge's kind says what is crossed (call, dynamic, callback, thread, async, process, rpc, binding, device, state); its
basis how it is known. A call that does not resolve stays as an unresolved edge to the text of its callee.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracer.graph.calls import Target
from tracer.graph.crossings import Crossings
from tracer.graph.dispatch import Dispatch
from tracer.graph.implicit import Implicit
from tracer.graph.library import Library
from tracer.graph.returns import Return, Returns
from tracer.graph.special import Special
from tracer.graph.uses import Uses
from tracer.graph.world import Sym, World
from tracer.kept import Once
from tracer.model import Basis, Edge
from tracer.survey.facts import Call


class Link(NamedTuple):
    """An edge between definitions; an unresolved target is text. `file` and `line` say where it is crossed."""

    source: Sym
    target: Sym | str
    kind: str
    basis: Basis
    file: int
    line: int
    via: str = ""


class Edges(Once):
    """The edges of one world, by file."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world = uses, uses.world
        self.crossings = uses.once(Crossings)
        self._returns = uses.once(Returns)
        self.dispatch = Dispatch(uses.types)
        self._implicit = Implicit(uses.world, uses.types, uses.calls)
        self._library = Library(uses.world, uses.types)
        self._special = Special(uses.world, uses.types, uses.calls)

    def of_file(self, number: int) -> Iterator[Link]:
        """Every edge that starts in file `number`: its calls, then what crosses from it."""
        yield from self._calls(number)
        for c in self.crossings.of_file(number):
            yield Link(*c)
        for e in self._implicit.of_file(number):
            yield Link(*e)
        for e in (*self._library.of_file(number), *self._special.of_file(number)):
            yield Link(*e)
        yield from self._back(self._returns.to_callers_in(number))

    def returns(self, sym: Sym) -> Iterator[Link]:
        """Where what the function took out of shared state, or observed, goes as its result: to its callers."""
        yield from self._back(self._returns.out_of(sym))

    def _back(self, found: Iterator[Return]) -> Iterator[Link]:
        for r in found:
            for kind in self.kinds(r.file, r.call, r.how):
                if kind in ("call", "dynamic"):
                    yield Link(r.source, r.target, kind, r.how.basis, r.file, r.call.line, "return")

    def out_of(self, sym: Sym) -> Iterator[Link]:
        """The edges that start in one function, without looking at the rest of the world."""
        calls = self.world.view(sym.file).calls_of.get(sym.index, ())
        yield from self._from_calls(sym.file, calls)
        for c in self.crossings.out_of(sym, calls):
            yield Link(*c)
        for e in self._implicit.out_of(sym, calls):
            yield Link(*e)

    def handed_by(self, sym: Sym) -> Iterator[Link]:
        """Of these the calls, and what is reached through the functions that they are given."""
        calls = self.world.view(sym.file).calls_of.get(sym.index, ())
        yield from self._from_calls(sym.file, calls)
        for call in calls:
            for c in self.crossings.handed(sym.file, call, sym):
                yield Link(*c)

    def _calls(self, number: int) -> Iterator[Link]:
        yield from self._from_calls(number, self.world.view(number).facts.calls)

    def _from_calls(self, number: int, calls: Sequence[Call]) -> Iterator[Link]:
        sources = self.world.sources(number)
        for call in calls:
            source = sources[call.scope]
            targets = self.uses.calls.targets(number, call)
            if not targets:
                yield Link(source, call.callee, "call", "unresolved", number, call.line)
            for t in targets:
                if t.to == source and len(targets) > 1:
                    continue
                for kind in self.kinds(number, call, t):
                    yield Link(source, t.to, kind, t.basis, number, call.line)

    def kinds(self, number: int, call: Call, target: Target) -> tuple[str, ...]:
        """How `call` reaches one of its targets: as the call says, or as the lambda around it is run."""
        plain = self.dispatch.kinds(number, call, target, self.uses.calls.targets(number, call))
        if "dynamic" in plain and self.crossings.passing.subscribed(number, call):
            plain = (*plain, "callback")
        run = self.crossings.threads.of_lambda(number, call) if call.inside else ()
        return run if run and run[0] != "callback" else (*plain, *(k for k in run if k not in plain))

    def all(self) -> Iterator[Edge]:
        """Every edge of the world as text, sorted within its file; files in order."""
        for number in range(self.world.size):
            yield from self.in_order(number)

    def in_order(self, number: int) -> list[Edge]:
        """The edges that start in one file, as text, each once, sorted by line."""
        links = dict.fromkeys(self.of_file(number))  # before they become text, which costs more
        rows = {self.edge(link) for link in links} | set(self._given(number))
        return sorted(rows, key=lambda e: (e.line, e.source, e.target, e.kind, e.basis, e.via))

    def _given(self, number: int) -> Iterator[Edge]:
        """What Python may call under the names that a native file gives out; no definition of ours has such a name."""
        path = self.world.path(number)
        for name, target, line in self.crossings.bound.given(number):
            yield Edge(name, self.world.symbol(target), "binding", "declared", path, line)

    def edge(self, link: Link) -> Edge:
        """A link with symbols for definitions."""
        target = self.world.symbol(link.target) if isinstance(link.target, Sym) else link.target
        source, file = self.world.symbol(link.source), self.world.path(link.file)
        return Edge(source, target, link.kind, link.basis, file, link.line, link.via)


def edges_of(world: World) -> Iterator[Edge]:
    """Every edge of `world`, in file and line order."""
    return world.once(Uses).once(Edges).all()
