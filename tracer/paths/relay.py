"""Along which chain does a completion travel? Producers → carrier → consumers, carrier by carrier.

A carrier is what both ends name: a field that holds a set, a queue, a dictionary, a counter, a flag or an event. It is
found in the statements of the sites; its producers and consumers are all functions that fill or signal it, and that
drain, await or ask it. For each producer: on which exits it sends nothing, and whether it may send more than once;
for the carrier: which comparisons of what it holds say how many are waited for. A field that a signal's nearest
comparison asks is a carrier too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tracer.graph.hops import Hops
from tracer.graph.places import Match
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import Basis, Site
from tracer.paths.tallies import Tallies
from tracer.reading.flow import escape, exits
from tracer.reading.statements import Reading
from tracer.readings import Readings
from tracer.survey.paths import parts

SENDS = ("insert", "write", "augment+", "augment-", "augment")
TAKES = ("remove", "clear", "read")
SIGNALS = ("set", "record", "notify", "notify_all", "notify_one", "set_result", "set_exception", "set_value", "put",
           "put_nowait", "release", "send", "send_multipart", "fetch_add", "store", "emplace")  # fmt: skip
AWAITS = ("wait", "wait_for", "query", "synchronize", "wait_event", "is_set", "result", "done", "get", "get_nowait",
          "poll", "recv", "recv_multipart", "has_value")  # fmt: skip
CROWD = 40  # a field that more functions touch than this carries nothing in particular
_MERGES = {
    "set": "a set: repeats for one request merge",
    "dict": "a map: the last for a key stays",
    "list": "a list: each arrives",
    "deque": "a queue: each arrives",
    "Queue": "a queue: each arrives",
    "SimpleQueue": "a queue: each arrives",
    "Event": "a flag: repeats merge",
    "int": "a counter: each counts",
    "atomic": "a counter: each counts",
    "bool": "a flag: repeats merge",
    "Future": "a future: one result",
}
_SAME = {
    "defaultdict": "dict", "OrderedDict": "dict", "unordered_map": "dict", "map": "dict", "unordered_set": "set",
    "frozenset": "set", "vector": "list", "PriorityQueue": "Queue", "promise": "Future", "optional": "bool",
    "condition_variable": "Event", "Condition": "Event", "queue": "deque",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hand:
    """A function at one end of a carrier. `skips`: its exits that send nothing; `many`: the loop it sends in."""

    symbol: str
    file: str
    line: int
    op: str
    basis: Basis
    skips: tuple[tuple[int, str, tuple[str, ...]], ...] = ()  # line, kind, guards
    many: str = ""


@dataclass(frozen=True, slots=True)
class Carrier:
    """A field that carries completions; `onward` are the carriers that its consumers fill in turn.

    `until`: (symbol, file, line, test) of the comparisons of what it holds, which say how many are waited for.
    """

    name: str
    holds: str
    producers: tuple[Hand, ...]
    consumers: tuple[Hand, ...]
    rules: tuple[str, ...]
    onward: tuple[str, ...] = ()
    until: tuple[tuple[str, str, int, str], ...] = ()


class Relay:
    """Finds carriers in one world."""

    def __init__(self, hops: Hops) -> None:
        self.hops, self.world, self.uses = hops, hops.world, hops.uses
        self.readings = hops.uses.once(Readings)
        self.tallies = Tallies(self.world, self.readings)

    def of(self, places: Iterable[tuple[Sym, int, int, str]]) -> list[Carrier]:
        """The carriers that the statements at `places` (function, first and last line, rule) name, chained, by name."""
        rules: dict[tuple[Sym, str], set[str]] = {}
        for sym, first, last, rule in places:
            gates = [key for lines in self.tallies.gates(sym, first) for key in self._named(sym, *lines)]
            for key in (*self._named(sym, first, last), *gates):
                rules.setdefault(key, set()).add(rule)
        found: dict[tuple[Sym, str], Carrier] = {}
        takers: dict[tuple[Sym, str], set[Sym]] = {}
        givers: dict[tuple[Sym, str], set[Sym]] = {}
        for key in sorted(rules):
            sends, takes = self._hands(key)
            if not sends or not takes or len({s for s, _ in (*sends, *takes)}) > CROWD:
                continue
            givers[key], takers[key] = {s for s, _ in sends}, {s for s, _ in takes}
            found[key] = Carrier(
                self._name(key),
                self._holds(key),
                tuple(self._producer(s, m) for s, m in sends),
                tuple(self._hand(s, m) for s, m in takes),
                tuple(sorted(rules[key] - {""})),
                until=tuple(self.tallies.until(key[1], givers[key] | takers[key])),
            )
        out = []
        for key, carrier in found.items():
            reached = {t for s in takers[key] for t in (s, *self._called(s))}
            onward = sorted(found[k].name for k in found if k != key and givers[k] & reached)
            out.append(replace(carrier, onward=tuple(onward)))
        return sorted(out, key=lambda c: c.name)

    def _called(self, sym: Sym) -> Iterator[Sym]:
        for _, link in self.hops.out(sym).links:
            if link.kind in ("call", "dynamic") and link.basis != "by_name" and isinstance(link.target, Sym):
                yield link.target

    # -- carriers ------------------------------------------------------------------------
    def _named(self, sym: Sym, first: int, last: int) -> Iterator[tuple[Sym, str]]:
        """The fields that are filled, drained, signalled or awaited in these lines of a function."""
        view, crossings = self.world.view(sym.file), self.hops.edges.crossings
        for a in view.facts.accesses:
            if first <= a.line <= last and a.op in (*SENDS, *TAKES) and self._inside(sym, a.scope):
                key = crossings.field_of(sym.file, a)
                if key is not None:
                    yield key
        for call in view.facts.calls:
            items = parts(call.callee)
            if first <= call.line <= last and len(items) > 2 and items[-1].lstrip(".") in (*SIGNALS, *AWAITS):
                held = [i for i in items[:-1] if i[0] not in "[("]
                owner = self.hops.edges.uses.types.of(sym.file, call.scope, "".join(held[:-1]))
                for t in owner:
                    if t.kind == "obj" and isinstance(t.ref, Sym) and held[-1][0] == ".":
                        yield self._declarer(t.ref, held[-1][1:]), held[-1][1:]

    def _declarer(self, cls: Sym, name: str) -> Sym:
        """The ancestor that declares the field, so that subclasses share it."""
        mro = self.world.mro(cls)
        return next((c for c in reversed(mro) if (c.index, name) in self.world.view(c.file).fields), cls)

    def _inside(self, sym: Sym, scope: int) -> bool:
        return self.world.function_of(sym.file, scope) == sym.index

    @kept
    def _hands(self, key: tuple[Sym, str]) -> tuple[list[tuple[Sym, Match]], list[tuple[Sym, Match]]]:
        """Who sends through the field, and who takes from it: the first place of each function."""
        state = self._name(key)
        sends: dict[Sym, Match] = {}
        takes: dict[Sym, Match] = {}
        for m in sorted(self.uses.state(state), key=lambda m: (m.file, m.line)):
            self._sort(m, m.op, sends, takes)
        for name in (*SIGNALS, *AWAITS):
            for m in self.uses.called_on(name, state):
                self._sort(m, "write" if name in SIGNALS else "read", sends, takes, name)
        return sorted(sends.items()), sorted(takes.items())

    def _sort(self, m: Match, op: str, sends: dict[Sym, Match], takes: dict[Sym, Match], name: str = "") -> None:
        if self.world.context(m.file):
            return
        sym = Sym(m.file, self.world.function_of(m.file, m.scope))
        shown = m._replace(op=name) if name else m
        if op in SENDS:
            sends.setdefault(sym, shown)
        elif op in TAKES and (sym not in takes or takes[sym].op == "read"):
            takes[sym] = shown

    def _name(self, key: tuple[Sym, str]) -> str:
        symbol = self.world.symbol(key[0])
        return f"{symbol}{'::' if '::' in symbol else '.'}{key[1]}"

    def _holds(self, key: tuple[Sym, str]) -> str:
        for t in self.uses.types.attribute_of(*key):
            name = str(t.ref).rsplit(".", 1)[-1] if t.kind in ("ext", "extc") else ""
            name = _SAME.get(name, name)
            if name in _MERGES:
                return _MERGES[name]
        return ""

    # -- ends ----------------------------------------------------------------------------
    def _hand(self, sym: Sym, m: Match) -> Hand:
        return Hand(self.world.symbol(sym), self.world.path(m.file), m.line, m.op, m.basis)

    def _producer(self, sym: Sym, m: Match) -> Hand:
        reading = self.readings.of(m.file, m.scope)
        hand = self._hand(sym, m)
        if reading is None:
            return hand
        return Hand(
            *(hand.symbol, hand.file, hand.line, hand.op, hand.basis),
            skips=tuple(_skips(reading, m.line)),
            many=_many(reading, m.line),
        )


def places_of(sites: Iterable[tuple[Sym | None, Site]]) -> Iterator[tuple[Sym, int, int, str]]:
    """Sites with the functions that hold them, as `Relay.of` takes them."""
    for sym, site in sites:
        if sym is not None:
            yield sym, site.first, site.last, site.rule


def places_of_state(hops: Hops, state: str) -> Iterator[tuple[Sym, int, int, str]]:
    """The statements of live code that change the state `Class.field`; none where the name is no state."""
    if "." not in state.replace("::", ".") or state.rpartition(":")[2].isdigit():
        return
    for m in hops.uses.state(state):
        sym = Sym(m.file, hops.world.function_of(m.file, m.scope))
        if sym.index >= 0 and m.op not in ("init", "read") and not hops.world.context(m.file):
            yield sym, m.line, m.last, ""


def _skips(reading: Reading, line: int) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """The exits of the function that holds `line` that are reached without it, each with its guards."""
    host = reading.host_of(line)
    start = host.first if host is not None else (reading.head.first if reading.head is not None else 0)
    if not start or host is not None:
        return
    for leaving in exits(reading):
        if leaving.implicit:
            continue
        if escape(reading, start, leaving, [line], lambdas=True, present=True) is not None:
            yield leaving.line, leaving.kind, reading.guards(leaving.line) if leaving.kind != "fall" else ()


def _many(reading: Reading, line: int) -> str:
    """The head of the innermost loop around `line`: one run of the function sends once per round."""
    for block, at in reversed(reading.holders(line)):
        s = block.statements[at]
        if s.kind in ("for", "while") and s.first <= line and not s.endless():
            return s.text.split("\n", 1)[0][:120]
    return ""
