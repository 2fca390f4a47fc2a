"""Edges as a search wants them: out of one function and into one, without doubles, found once and kept.

`out` asks `Edges.out_of` and drops what leads nowhere; `into` goes backwards: callers by name, functions that hand the
function over, fields it drains, names it is bound to. What was found can be packed and given to the next question.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from tracer.graph.calls import Target
from tracer.graph.edges import Edges, Link
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import BASES, EDGE_KINDS
from tracer.survey.facts import Call
from tracer.survey.paths import parts
from tracer.survey.store import last_part

COST = {"exact": 2, "typed": 2, "observed": 2, "inherited": 3, "declared": 3, "by_name": 8}
EXTRA = {"state": 3, "device": 1}  # A fills what B drains: true of many pairs, so a poorer step than a call
FAILURE = 3  # what a function named for a failure costs more
_FAILS = re.compile(r"fail|error|rollback", re.IGNORECASE)
GUESSES = 8  # alternatives by name alone; more say nothing
MANY = 200  # files that mention a name; a commoner one is not hunted for references
_Row = tuple[int, int, int, int, int, int]
_Kept = dict[str, tuple[list[_Row], list[tuple[str, int]]]]


class Out(NamedTuple):
    """What leaves a function: its links, each with what it costs to take, and the calls that do not resolve."""

    links: tuple[tuple[int, Link], ...]
    open: tuple[tuple[str, int], ...]


class Hops:
    """The links of one world, function by function."""

    def __init__(self, edges: Edges, kept: bytes | None = None) -> None:
        self.edges, self.world, self.uses = edges, edges.world, edges.uses
        self._kept: _Kept = msgspec.msgpack.decode(kept, type=_Kept) if kept else {}
        self._known = len(self._kept)
        self._out: dict[Sym, Out] = {}
        self._into: dict[Sym, tuple[Link, ...]] = {}

    def pack(self) -> bytes | None:
        """All that is known by now, for `kept`; None if nothing was added."""
        return msgspec.msgpack.encode(self._kept) if len(self._kept) > self._known else None

    # -- forwards ----------------------------------------------------------------------
    def out(self, sym: Sym) -> Out:
        """The links out of `sym`, one per target and kind, cheapest basis first in file order."""
        found = self._out.get(sym)
        if found is None:
            key = f"{sym.file}:{sym.index}"
            if key not in self._kept:
                self._kept[key] = self._find(sym)
            rows, unresolved = self._kept[key]
            links = tuple(
                Link(sym, Sym(file, index), EDGE_KINDS[kind], BASES[basis], where, line)
                for file, index, kind, basis, where, line in rows
            )
            found = self._out[sym] = Out(tuple(self._priced(links)), tuple(unresolved))
        return found

    def _find(self, sym: Sym) -> tuple[list[_Row], list[tuple[str, int]]]:
        links = list(self.edges.out_of(sym))
        rows = [
            (t.file, t.index, EDGE_KINDS.index(kind), BASES.index(link.basis), link.file, link.line)
            for (t, kind), link in _cheapest(links).items()
        ]
        unresolved = (k for k in links if k.basis == "unresolved" and not isinstance(k.target, Sym))
        return rows, list(dict.fromkeys((str(k.target), k.line) for k in unresolved))

    def _priced(self, links: tuple[Link, ...]) -> Iterator[tuple[int, Link]]:
        """Links with their cost: a way that is one of n alternatives is less sure the larger n is."""
        places: dict[tuple[int, int, str], int] = {}
        for link in links:
            place = (link.file, link.line, link.kind)
            places[place] = places.get(place, 0) + 1
        begun = {link.target for link in links if link.kind == "async"}
        for link in links:
            rivals = places[link.file, link.line, link.kind]
            if link.basis == "by_name" and rivals > GUESSES:
                continue
            fan = (rivals - 1).bit_length() if link.kind not in ("call", "callback") else 0
            made = link.kind in ("call", "dynamic") and link.target in begun  # the coroutine, which a task then runs
            astray = FAILURE if self._is_for_failure(link.target) else 0
            yield COST.get(link.basis, 8) + EXTRA.get(link.kind, 0) + fan + made + astray, link

    def _is_for_failure(self, target: Sym | str) -> bool:
        """Whether a function says by its name that it runs when something went wrong: no step of the main way."""
        return isinstance(target, Sym) and _FAILS.search(self.world.name(target)) is not None

    # -- backwards ---------------------------------------------------------------------
    def into(self, sym: Sym) -> tuple[Link, ...]:
        """The links that end in `sym`: calls, and crossings from whatever names it or shares a field with it."""
        found = self._into.get(sym)
        if found is None:
            links = dict.fromkeys(self._called(sym))
            links.update(dict.fromkeys(self._declared.get(sym, ())))
            for source in sorted(set(self._suspects(sym)) - {sym}):
                links.update(dict.fromkeys(link for _, link in self.out(source).links if link.target == sym))
            found = self._into[sym] = self._first(sym, links)
        return found

    def _first(self, sym: Sym, links: Iterable[Link]) -> tuple[Link, ...]:
        """The first link of each kind from each function of live code other than `sym`."""
        best: dict[tuple[Sym, str], Link] = {}
        for link in sorted(links, key=lambda k: (k.file, k.line, k.source, k.kind)):
            if link.source != sym and not self.world.context(link.source.file):
                best.setdefault((link.source, link.kind), link)
        return tuple(best.values())

    def started(self, sym: Sym) -> tuple[Link, ...]:
        """Of the links that end in `sym`, its calls and those from functions that hand it over by its name.

        All that a thread or a task begins with is among them; what shared state leads to is not, and is dear to find.
        """
        links = dict.fromkeys(self._called(sym))
        for source in sorted(set(self._naming(sym)) - {sym}):
            links.update(dict.fromkeys(link for link in self._handed_by(source) if link.target == sym))
        return self._first(sym, links)

    @kept
    def _handed_by(self, sym: Sym) -> tuple[Link, ...]:
        return tuple(_cheapest(self.edges.handed_by(sym)).values())

    @functools.cached_property
    def _declared(self) -> dict[Sym, list[Link]]:
        """The declared crossings by where they end."""
        out: dict[Sym, list[Link]] = {}
        for number in range(self.world.size):
            for c in self.edges.crossings.declared.of_file(number):
                if isinstance(c[1], Sym):
                    out.setdefault(c[1], []).append(Link(*c))
        return out

    def _called(self, sym: Sym) -> Iterator[Link]:
        for site in self.uses.calls.callers(sym):
            source = Sym(site.file, self.world.function_of(site.file, site.call.scope))
            for kind in self.edges.kinds(site.file, site.call, Target(sym, site.basis)):
                yield Link(source, sym, kind, site.basis, site.file, site.call.line)
        for site in self.edges.crossings.sent_to(sym):
            source = Sym(site.file, self.world.function_of(site.file, site.call.scope))
            yield Link(source, sym, "rpc", site.basis, site.file, site.call.line)

    def _suspects(self, sym: Sym) -> Iterator[Sym]:
        """Functions that may have a crossing into `sym`; whether they do, their own links tell."""
        if not self.world.name(sym):
            return
        yield from self._naming(sym)
        for bound, runs in self.edges.crossings.bindings.items() if not self.world.view(sym.file).python else ():
            if sym in runs:
                for number in self.world.files_with("c", bound):
                    if self.world.view(number).python:
                        yield from self._calling(number, bound)
        yield from self.edges.crossings.handoffs.into(sym)
        for call in self.world.view(sym.file).facts.calls:  # events are joined within a file
            if last_part(call.callee) in ("record", "set", "notify", "notify_all", "notify_one"):
                yield self._function(sym.file, call)
        yield from self.edges.crossings.statuses.into(sym)

    def _naming(self, sym: Sym) -> Iterator[Sym]:
        """The functions that give something of the name of `sym` to a call."""
        name = self.world.name(sym)
        files = self.world.files_with("u", name) if name else ()
        for number in files if len(files) <= MANY else ():
            for call in self.world.view(number).naming.get(name, ()):
                yield self._function(number, call)

    def _calling(self, number: int, name: str) -> Iterator[Sym]:
        for call in self.world.view(number).facts.calls:
            items = parts(call.callee)
            if items and items[-1].lstrip(".") == name:
                yield self._function(number, call)

    def _function(self, number: int, call: Call) -> Sym:
        return Sym(number, self.world.function_of(number, call.scope))


def _cheapest(links: Iterable[Link]) -> dict[tuple[Sym, str], Link]:
    """One link to each other definition of each kind: the first of the cheapest basis."""
    best: dict[tuple[Sym, str], Link] = {}
    for link in links:
        if isinstance(link.target, Sym) and link.target != link.source:
            held = best.get((link.target, link.kind))
            if held is None or COST.get(link.basis, 8) < COST.get(held.basis, 8):
                best[link.target, link.kind] = link
    return best
