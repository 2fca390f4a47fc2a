"""ZeroMQ: who sends on a socket reaches who receives on one of the matching type, in the same part of the code.

A socket is known by the `zmq.TYPE` that it is made with, and by the field or the function that keeps it. Both ends are
looked for in one folder, or in one file where a folder has too many.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

from tracer.graph.aliases import Aliases, Key
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.model import Basis
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

PEERS = {
    "PUSH": ("PULL",),
    "PUB": ("SUB", "XSUB"),
    "XPUB": ("SUB", "XSUB"),
    "XSUB": ("XPUB",),
    "REQ": ("REP", "ROUTER"),
    "REP": ("REQ", "DEALER"),
    "DEALER": ("ROUTER", "REP"),
    "ROUTER": ("DEALER", "REQ"),
    "PAIR": ("PAIR",),
}
TYPES = frozenset({*PEERS, "PULL", "SUB"})
MANY = 64  # pairs of ends in one place; more are taken file by file, and more than that say nothing
_SEND, _RECEIVE = ("send",), ("recv",)
Crossing = tuple[Sym, Sym | str, str, Basis, int, int]


class End(NamedTuple):
    """A function sends or receives on sockets of a type, in `line` of `file`."""

    type: str
    function: Sym
    file: int
    line: int


class Sockets:
    """Joins the two ends of sockets in one world."""

    def __init__(self, uses: Uses, aliases: Aliases) -> None:
        self.uses, self.world, self.aliases = uses, uses.world, aliases

    def of_file(self, number: int) -> tuple[Crossing, ...]:
        """Every message that leaves from file `number`."""
        return self._by_file.get(number, ())

    def out_of(self, sym: Sym) -> Iterator[Crossing]:
        """The messages that leave from one function."""
        return (c for c in self.of_file(sym.file) if c[0] == sym)

    @functools.cached_property
    def _by_file(self) -> dict[int, tuple[Crossing, ...]]:
        out: dict[int, dict[Crossing, None]] = {}
        places: dict[str, tuple[list[End], list[End]]] = {}
        for number in self._files:
            folder = self.world.path(number).rpartition("/")[0]
            sends, receives = places.setdefault(folder, ([], []))
            sends += self._ends(number, _SEND)
            receives += self._ends(number, _RECEIVE)
        for sends, receives in places.values():
            for a, b in _joined(sends, receives):
                out.setdefault(a.file, {})[a.function, b.function, "process", "declared", a.file, a.line] = None
        return {k: tuple(v) for k, v in out.items()}

    @functools.cached_property
    def _files(self) -> list[int]:
        files = {n for kind in "iu" for n in self.world.files_with(kind, "zmq")}
        return sorted(n for n in files if not self.world.context(n))

    # -- how sockets are made --------------------------------------------------------------
    @functools.cached_property
    def _made(self) -> tuple[dict[Key, set[str]], dict[Sym, set[str]]]:
        """Types of the sockets that fields keep, and of those that a function makes for itself."""
        fields: dict[Key, set[str]] = {}
        local: dict[Sym, set[str]] = {}
        for number in self._files:
            for call in self.world.view(number).facts.calls:
                types = {t for a in call.args if a.path.startswith("zmq.") and (t := last_part(a.path)) in TYPES}
                if not types:
                    continue
                keys = list(self._kept_in(number, call))
                for key in keys:
                    fields.setdefault(key, set()).update(types)
                if not keys:
                    function = Sym(number, self.world.function_of(number, call.scope))
                    local.setdefault(function, set()).update(types)
        return fields, local

    def _kept_in(self, number: int, call: Call) -> Iterator[Key]:
        """The fields that get what `call` makes: directly, inside a container or record, or by way of a local."""
        view, scope = self.world.view(number), call.scope
        names = {b.name for b in view.binds_in.get(scope, ()) if call.line <= b.line <= call.last}
        for a in view.accesses.get(scope, ()):
            here = a.line <= call.line <= a.last or (a.line > call.line and a.value in names)
            if here and a.op in ("write", "insert"):
                yield from self.aliases.keys(number, scope, a.target)
        for name in sorted(names):
            for made in view.calls.get(scope, ()):
                if made.line > call.line and any(a.path == name for a in made.args):
                    yield from self.aliases.made_with(number, made, name)

    # -- how sockets are used ----------------------------------------------------------------
    def _ends(self, number: int, verbs: tuple[str, ...]) -> Iterator[End]:
        fields, local = self._made
        for call in self.world.view(number).facts.calls:
            items = parts(call.callee)
            if len(items) < 2 or not items[-1][1:].startswith(verbs):
                continue
            function = Sym(number, self.world.function_of(number, call.scope))
            types: set[str] = set()
            for key in self.aliases.keys(number, call.scope, join(items[:-1])):
                types |= fields.get(key, set())
            if not types and len(items) == 2 and items[0] not in ("self", "this"):
                types = {t for s in self.world.chain(number, call.scope) for t in local.get(Sym(number, s), ())}
            yield from (End(t, function, number, call.line) for t in sorted(types))


def _joined(sends: list[End], receives: list[End]) -> Iterator[tuple[End, End]]:
    pairs = [
        (a, b) for a in sends for b in receives if b.type in PEERS.get(a.type, ()) and a.function != b.function
    ]
    if len({(a.function, b.function) for a, b in pairs}) > MANY:
        pairs = [(a, b) for a, b in pairs if a.file == b.file]
    if len({(a.function, b.function) for a, b in pairs}) <= MANY:
        yield from pairs
