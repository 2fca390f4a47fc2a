"""Shared status: A sets a field that B decides by, and the field is made to be seen from elsewhere.

An atomic, a point in time or a member of an enum says how far something is; who tests it acts on what another one set.
Plain fields are left out: they are data that calls already explain. A one-line predicate stands for who asks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tracer.graph.aliases import Aliases, Key
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.survey.facts import Access, Call
from tracer.survey.paths import join, parts

SETS = frozenset({"write", "augment", "augment+", "augment-"})
SHORT = 4  # lines of a function that does nothing but ask
MANY = 24  # functions that ask; a field that more of them test joins nobody in particular
PAIRS = 128  # nor does one that so many set and test: it is plain data
_BUILTINS = ("__atomic_", "__sync_")  # of the compiler, on fields that are not declared atomic
_SEEN = re.compile(r"\batomic\b|\btime_point\b")


class Statuses:
    """Joins who sets a status with who tests it, in one world."""

    def __init__(self, uses: Uses, aliases: Aliases) -> None:
        self.uses, self.world, self.types, self.aliases = uses, uses.world, uses.types, aliases

    def out_of(self, sym: Sym) -> Iterator[tuple[Sym, int]]:
        """(function, line): who tests what `sym` sets, and where `sym` sets it."""
        if self.world.context(sym.file):
            return
        for a in self.world.view(sym.file).accesses.get(sym.index, ()):
            if a.op not in SETS and not (a.op == "insert" and self._constant(sym.file, a)):
                continue
            for key in self.aliases.keys(sym.file, a.scope, a.target):
                if self._is_status(key, sym.file, a) and not self.uses.in_construction(sym.file, a.scope, a.target):
                    testers = self.testers(key)
                    if len(testers) * self._setters(key) <= PAIRS:
                        yield from ((to, a.line) for to in testers if to != sym)

    def into(self, sym: Sym) -> Iterator[Sym]:
        """The functions that may set what `sym` tests."""
        for a in self.world.view(sym.file).accesses.get(sym.index, ()):
            for key in self.aliases.keys(sym.file, a.scope, a.target) if a.op == "read" and a.test else ():
                for number in self.world.files_with("u", key[1]):
                    for b in self.world.view(number).targets.get(key[1], ()):
                        if b.op in SETS:
                            yield Sym(number, self.world.function_of(number, b.scope))

    # -- what is a status ----------------------------------------------------------------
    def _is_status(self, key: Key, number: int, a: Access) -> bool:
        view = self.world.view(key[0].file)
        declared = view.fields.get((key[0].index, key[1]), ())
        if any(_SEEN.search(f.annotation) for f in declared):
            return True
        if any(c.line <= a.line <= c.last and c.callee.startswith(_BUILTINS) for c in self._calls(number, a)):
            return True
        held = self.types.attribute_of(key[0], key[1])
        if any(t.kind == "obj" and isinstance(t.ref, Sym) and self._is_enum(t.ref) for t in held):
            return True
        return view.python and self._constant(number, a)

    def _calls(self, number: int, a: Access) -> Sequence[Call]:
        return self.world.view(number).calls.get(a.scope, ())

    def _is_enum(self, cls: Sym) -> bool:
        return self.world.kind(cls) == "enum"

    def _constant(self, number: int, a: Access) -> bool:
        """Whether what is stored is a constant of a class: `Poll.DONE`."""
        items = parts(a.value)
        if len(items) < 2 or items[-1][0] != "." or not items[-1][1:2].isupper():
            return False
        return any(t.kind == "cls" for t in self.types.of(number, a.scope, join(items[:-1])))

    @kept
    def _setters(self, key: Key) -> int:
        """How many functions of live code set the field."""
        found: set[Sym] = set()
        for number in self.world.files_with("u", key[1]):
            for a in self.world.view(number).targets.get(key[1], ()) if not self.world.context(number) else ():
                if a.op in SETS and key in self.aliases.keys(number, a.scope, a.target):
                    found.add(Sym(number, self.world.function_of(number, a.scope)))
        return len(found)

    # -- who tests it --------------------------------------------------------------------
    @kept
    def testers(self, key: Key) -> tuple[Sym, ...]:
        """The functions of live code that decide by the field; () if they are too many to mean anything."""
        out: dict[Sym, None] = {}
        for number in self.world.files_with("u", key[1]):
            if self.world.context(number):
                continue
            for a in self.world.view(number).targets.get(key[1], ()):
                if a.op != "read":
                    continue
                function = Sym(number, self.world.function_of(number, a.scope))
                short = self._is_short(function)
                if (a.test or short or self._kept(number, a)) and key in self.aliases.keys(number, a.scope, a.target):
                    out[function] = None
                    if short:
                        out |= dict.fromkeys(self._askers(function))
        return tuple(out) if len(out) <= MANY else ()

    def _kept(self, number: int, a: Access) -> bool:
        """Whether the status is read into a local, which is then decided by."""
        binds = (b for b in self.world.view(number).binds_in.get(a.scope, ()) if b.line == a.line)
        return any(b.value == a.target for b in binds)

    def _is_short(self, function: Sym) -> bool:
        d = self.world.definition(function)
        return d is not None and d.kind == "function" and d.last - d.line <= SHORT

    def _askers(self, function: Sym) -> Iterator[Sym]:
        for site in self.uses.calls.callers(function):
            caller = Sym(site.file, self.world.function_of(site.file, site.call.scope))
            if caller.index >= 0 and site.basis != "by_name" and not self.world.context(site.file):
                yield caller
