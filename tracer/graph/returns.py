"""Results that travel back: a function takes something out of shared state, or asks an event, and returns it.

Control has long been there, but the *completion* travels from the function called to its caller, and on. Takes calls,
gives links from callee to caller, marked `return`. Only what was drained or observed counts, through few functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tracer.graph.calls import Target
from tracer.graph.flow import Flow
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.survey.facts import Call
from tracer.survey.paths import parts

DEPTH = 3  # functions that a result passes through unnamed
CALLERS = 24  # a result given to more callers is a utility's
_TAKES = frozenset({"remove", "clear"})
_ASKS = frozenset(
    {"query", "get_nowait", "popleft", "recv", "recv_multipart", "recv_pyobj", "dequeue", "result", "poll"}
)


class Return(NamedTuple):
    """What `source` returns reaches `target`, through a `call` in `file`."""

    source: Sym
    target: Sym
    how: Target
    file: int
    call: Call


class Returns:
    """Finds results that travel back in one world."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world, self.flow = uses, uses.world, uses.world.once(Flow)
        self._memo: dict[tuple[Sym, int], bool] = {}

    def to_callers_in(self, number: int) -> Iterator[Return]:
        """Every result that comes back to a function of file `number`."""
        if self.world.context(number):
            return
        for call in self.world.view(number).facts.calls:
            yield from self._back(number, call)

    def out_of(self, sym: Sym) -> Iterator[Return]:
        """Where the result of one function goes."""
        if self.relays(sym):
            for site in self.uses.calls.callers(sym):
                if not self.world.context(site.file):
                    yield from (r for r in self._back(site.file, site.call) if r.source == sym)

    def _back(self, number: int, call: Call) -> Iterator[Return]:
        if call.how in ("statement", "decorator"):
            return
        caller = self.world.sources(number)[call.scope]
        for t in self.uses.calls.targets(number, call):
            if isinstance(t.to, Sym) and t.to != caller and self.relays(t.to):
                yield Return(t.to, caller, t, number, call)

    def relays(self, sym: Sym, depth: int = DEPTH) -> bool:
        """Whether the function returns what it, or a function that it calls, took out or observed."""
        key = (sym, depth)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._relays(sym, depth)
        return found

    def _relays(self, sym: Sym, depth: int) -> bool:
        if self.world.kind(sym) != "function" or self.world.context(sym.file) or not self.flow.gives(sym):
            return False
        view = self.world.view(sym.file)
        if any(a.op in _TAKES and not self.flow.is_own(sym, a.target) for a in view.accesses.get(sym.index, ())):
            return True
        calls = view.calls.get(sym.index, ())
        if any(_asks(c) for c in calls):
            return True
        return depth > 0 and any(
            isinstance(t.to, Sym) and t.to != sym and self.relays(t.to, depth - 1)
            for c in calls
            if c.how not in ("statement", "decorator") and self.flow.comes_back(sym, c)
            for t in self.uses.calls.targets(sym.file, c)
        )


def _asks(call: Call) -> bool:
    """Whether the call asks an object kept somewhere whether something is done, or takes what has arrived."""
    items = parts(call.callee)
    if len(items) < 2:
        return False
    return items[-1].lstrip(".") in _ASKS or items[-1] == ".swap"
