"""Stations of a named path → the functions that they mean; names and sites that a user gives → functions.

Takes a world and, for roles and rules, sites that others found (engine by engine). Gives sets of definitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from tracer.errors import UsageError
from tracer.globs import path_matches
from tracer.graph.edges import Link
from tracer.graph.hops import Hops
from tracer.graph.world import Sym, World
from tracer.model import Site
from tracer.paths.routes import Station
from tracer.survey.store import last_part

Sites = Callable[[str], Sequence[tuple[str, Site]]]  # a role ("all" for every) → (engine, site) of the engines asked
_PLACE = re.compile(r"(?P<file>[^\s:]+\.\w+):(?P<line>\d+)")
_RULE = re.compile(r"[a-z0-9_]+(\.[a-z0-9_-]+){2,}")
_ENTERED = {k: {k} for k in ("thread", "process", "async", "callback")} | {"rpc": {"rpc", "process"}}
_HANDED = frozenset({"thread", "async"})  # started by handing the function over, never by shared state


class Stations:
    """Finds functions in one world."""

    def __init__(self, hops: Hops, sites: Sites) -> None:
        self.hops, self.world, self.uses, self._sites = hops, hops.world, hops.uses, sites

    # -- what a rule file says -----------------------------------------------------------
    def of(self, station: Station) -> set[Sym]:
        """The live functions with a body that fit `station`."""
        found = {s for s in self._named(station) if self.world.kind(s) == "function"}
        return {s for s in found if self._fits(s, station)}

    def _fits(self, sym: Sym, station: Station) -> bool:
        path = self.world.path(sym.file)
        if self.world.context(sym.file) or (station.engine and self.engine(sym) not in station.engine):
            return False
        if station.files and not path_matches(path, station.files):
            return False
        if station.not_files and path_matches(path, station.not_files):
            return False
        if station.on:
            owner = self.world.owner(sym)
            bases = {c for p in station.on for c in self.world.classes(p)}
            return owner is not None and any(b in self.world.mro(owner) for b in bases)
        return True

    def _named(self, station: Station) -> Iterator[Sym]:
        if station.role or station.rule:
            yield from self._of_sites(station)
        for pattern in station.interface:
            yield from self.implementations(pattern)
        for pattern in station.caller:
            for method in (*self._declared(pattern), *self.implementations(pattern)):
                yield from (link.source for link in self.hops.into(method))
        for pattern in station.state:
            yield from (self._function(m.file, m.scope) for m in self.uses.state(pattern) if m.op in station.op)
        for pattern in station.api:
            yield from (self._function(m.file, m.scope) for m in self.uses.called(pattern))
        if station.entry:
            yield from self._entered(station)

    def _of_sites(self, station: Station) -> Iterator[Sym]:
        role = station.role or (station.rule[0].split(".")[1] if station.rule else "")
        for engine, site in self._sites(role):
            if (
                (not station.action or site.action in station.action)
                and (not station.layer or site.layer in station.layer)
                and (not station.stack or site.stack in station.stack)
                and (not station.rule or site.rule in station.rule)
            ):
                found = self.at(site.file, site.first, engine)
                if found is not None:
                    yield found

    def implementations(self, pattern: str) -> set[Sym]:
        """Every method that implements `Base.method`: the base's own body, those of its subclasses, inherited ones."""
        owner, _, method = pattern.replace("::", ".").rpartition(".")
        out: set[Sym] = set()
        for base in self.world.classes(owner):
            for cls in (base, *self.world.subclasses(base)):
                for c in self.world.mro(cls):
                    own = self.world.methods(c, method)
                    if own:
                        out.update(own)
                        break
        return out

    def _declared(self, pattern: str) -> Iterator[Sym]:
        owner, _, method = pattern.replace("::", ".").rpartition(".")
        for base in self.world.classes(owner):
            yield from self.world.methods(base, method)

    def _entered(self, station: Station) -> Iterator[Sym]:
        kinds = _ENTERED[station.entry]
        into = self.hops.started if kinds <= _HANDED else self.hops.into
        for number in range(self.world.size):
            if self.world.context(number) or not path_matches(self.world.path(number), station.files or ("**",)):
                continue
            for index, d in enumerate(self.world.view(number).facts.definitions):
                sym = Sym(number, index)
                if d.kind == "function" and any(k.kind in kinds and _starts(k) for k in into(sym)):
                    yield sym

    # -- what a user says ----------------------------------------------------------------
    def named(self, name: str) -> list[Sym]:
        """The functions that `name` means: a symbol or a tail of one, `file:line`, or a rule's id.

        `UsageError` with near names if there is none.
        """
        place = _PLACE.fullmatch(name)
        if place is not None:
            found = self.at(place["file"], int(place["line"]))
            if found is None:
                raise UsageError(f"no function at {name}", todo="name a line inside a function")
            return [found]
        syms = [s for s in self.world.functions(name) if self.world.kind(s) == "function"]
        live = [s for s in syms if not self.world.context(s.file)] or syms
        live = live or sorted({s for s, _ in self.places_of_rule(name)})
        if not live:
            raise UsageError(f"no function {name!r}", todo=_near(self.world, name))
        return live

    def places_of_rule(self, name: str) -> list[tuple[Sym, int]]:
        """The functions, and the lines in them, where the rule `name` has its sites; none if it is no rule's id."""
        if not _RULE.fullmatch(name) or self.world.functions(name):
            return []
        found = ((self.at(s.file, s.first, e), s.first) for e, s in self._sites(name.split(".")[1]) if s.rule == name)
        return sorted({(sym, line) for sym, line in found if sym is not None})

    def places(self, name: str) -> list[tuple[Sym, int, int, str]]:
        """Function, first and last line, and rule of each place that a user's `name` means: a function is all of it."""
        of_rule = self.places_of_rule(name)
        if of_rule:
            return [(sym, line, line, name) for sym, line in of_rule]
        place = _PLACE.fullmatch(name)
        out = []
        for sym in self.named(name):
            d = self.world.definition(sym)
            whole = (d.first, d.last) if d else (1, 1)
            out.append((sym, *((int(place["line"]),) * 2 if place else whole), ""))
        return out

    def at(self, file: str, line: int, engine: str = "") -> Sym | None:
        """The function around a line of a file (its whole path or a tail of it)."""
        for part in self.world.parts:
            if engine and part.target.name != engine:
                continue
            for number, f in enumerate(part.facts.files, part.offset):
                if f.path == file or f.path.endswith("/" + file):
                    found = self._function(number, self.world.view(number).scope_at(line))
                    if found.index >= 0:
                        return found
        return None

    def engine(self, sym: Sym) -> str:
        """The name of the engine that holds `sym`."""
        return self.world.part_of(sym.file).target.name

    def _function(self, file: int, scope: int) -> Sym:
        return Sym(file, self.world.function_of(file, scope))

    # -- what is chosen at fan-outs ------------------------------------------------------
    def chosen(self, choices: Iterable[tuple[str, Sequence[str]]], *, asked: bool = True) -> set[Sym]:
        """The classes that are not taken, given `interface → implementations`: the rest of each family.

        An implementation is a class, or the name it is registered under. One that is nowhere in these engines is a
        `UsageError` where a user `asked` for it; a rule file's leaves its interface open, as in an older version.
        """
        shut: set[Sym] = set()
        for base, names in choices:
            bases = self.world.classes(base)
            picked = {c for n in names for c in (self.world.classes(n) or self._registered(n))}
            if not asked and not (bases and picked):
                continue
            if not bases:
                raise UsageError(f"no class {base!r}", todo=_near(self.world, base))
            if not picked:
                raise UsageError(f"no class and no registered name {names[0]!r}", todo=_near(self.world, names[0]))
            family = {s for b in bases for s in self.world.subclasses(b)}
            shut |= family - {c for p in picked for c in (*self.world.mro(p), *self.world.subclasses(p))}
        return shut

    def _registered(self, name: str) -> list[Sym]:
        """The classes that code registers under the string `name`, by the other strings of the call."""
        out: list[Sym] = []
        for registrar in sorted(n for n in self.world.names("c") if "regist" in n.lower()):
            for number in self.world.files_with("c", registrar):
                for call in self.world.view(number).facts.calls:
                    texts = [a.text for a in call.args]
                    if name in texts and last_part(call.callee).startswith(registrar):
                        out += [c for t in texts if t != name and t for c in self.world.classes(t)]
        return out


def _near(world: World, name: str) -> str:
    from rapidfuzz import process

    leaf = name.replace("::", ".").rsplit(".", 1)[-1]
    near = process.extract(leaf, sorted(world.names("d")), limit=3, score_cutoff=60)
    return f"nearest: {', '.join(n for n, *_ in near)}" if near else "give `Class.method` or a full symbol"


def _starts(link: Link) -> bool:
    """Whether the link starts its target; what fills a queue only feeds whoever takes from it."""
    return link.basis == "exact" or link.kind in ("rpc", "process", "callback")
