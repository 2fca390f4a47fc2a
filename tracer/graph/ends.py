"""One end of a declared crossing → the functions that are such an end, with the key that the other end must share.

An end is named by what carries it: a type, a field, a message, an enum member, a decorator, a library's function. See
rules/crossings/schema.json for the forms; `declared.py` joins two ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from tracer.globs import path_matches
from tracer.graph.declarations import End
from tracer.graph.places import Match
from tracer.graph.returns import Returns
from tracer.graph.uses import Uses
from tracer.graph.world import Sym
from tracer.survey.facts import Arg, Call, Definition
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

_WRITES = frozenset({"write", "clear", "insert", "augment", "augment+", "augment-"})
_READS = frozenset({"read", "remove", "clear"})
GIVERS = 3  # functions that only pass a result on


class Found(NamedTuple):
    """A function at an end of a crossing, where in it, and the key ("" = none asked for).

    Where a message's field is the key, `of` is the class that the field was filled in or read from.
    """

    function: Sym
    file: int
    line: int
    key: str = ""
    of: Sym | None = None


class Ends:
    """Finds the ends of declared crossings in one world."""

    def __init__(self, uses: Uses) -> None:
        self.uses, self.world, self.types = uses, uses.world, uses.types
        self.returns = uses.once(Returns)

    def of(self, end: End) -> tuple[Found, ...]:
        """Every function of live code that `end` describes, by file and line; none twice."""
        found = {f for f in getattr(self, "_" + end.matcher)(end) if f.key or not end.key}
        kept = {f for f in found if self._fits(f, end)}
        if end.named_by is not None:
            names = {f.key for f in self.of(end.named_by)}
            kept = {f for f in kept if self.world.name(f.function) in names}
        if end.results:
            kept |= {f for f in self._givers(end, kept) if not self.world.context(f.file)}
        return tuple(sorted(kept, key=lambda f: (f.file, f.line, f.function, f.key, f.of or f.function)))

    def _fits(self, found: Found, end: End) -> bool:
        sym = found.function
        path = self.world.path(sym.file)
        if self.world.context(sym.file) or (end.files and not path_matches(path, end.files)):
            return False
        if end.not_files and path_matches(path, end.not_files):
            return False
        if not end.within and not end.not_within:
            return True
        family = self._family_around(sym)
        inside = not end.within or any(self._named(c, end.within) for c in family)
        return inside and not any(self._named(c, end.not_within) for c in family)

    def _family_around(self, sym: Sym) -> list[Sym]:
        """The class that holds the function (nested functions too), and its ancestors."""
        for s in self.world.chain(sym.file, sym.index):
            owner = self.world.owner(Sym(sym.file, s))
            if owner is not None:
                return list(self.world.mro(owner))
        return []

    def _named(self, cls: Sym, patterns: Iterable[str]) -> bool:
        return any(self.world.matches(cls, p) for p in patterns)

    def _function(self, number: int, scope: int) -> Sym:
        return Sym(number, self.world.function_of(number, scope))

    # -- calls -----------------------------------------------------------------------
    def _call(self, end: End) -> Iterator[Found]:
        for number, call in self._calls(end):
            yield from self._at_call(number, call, end)

    def _calls(self, end: End) -> Iterator[tuple[int, Call]]:
        for pattern in end.patterns:
            if end.on:
                yield from self._calls_on(pattern, end.on)
            elif pattern.startswith("."):
                yield from self._named_calls(pattern[1:])
            elif pattern.endswith("()"):
                yield from self._instance_calls(pattern[:-2])
            elif end.within and pattern.isidentifier():
                yield from self._calls_in(pattern, end.within)
            else:
                owner, _, name = pattern.replace("::", ".").rpartition(".")
                classes = self.world.classes(owner) if owner and name == "*" else ()
                names = sorted({n for c in classes for k in self.world.mro(c) for n in self.world.method_names(k)})
                for spelt in [f"{owner}.{n}" for n in names] if name == "*" else [pattern]:
                    yield from ((m.file, m.call) for m in self.uses.called(spelt) if m.call)

    def _named_calls(self, name: str) -> Iterator[tuple[int, Call]]:
        """Calls of a library's method by its name alone: those that reach no function of the engine."""
        for number in self.world.files_with("c", name):
            for call in self.world.view(number).facts.calls:
                items = parts(call.callee) if name in call.callee else ()
                if len(items) < 2 or items[-1] != "." + name:
                    continue
                if not any(isinstance(t.to, Sym) for t in self.uses.calls.targets(number, call)):
                    yield number, call

    def _calls_in(self, name: str, within: Iterable[str]) -> Iterator[tuple[int, Call]]:
        """Calls of a function by its bare name, in the files of the classes that they have to stand in."""
        classes = (c for p in within for k in self.world.classes(p) for c in (k, *self.world.subclasses(k)))
        for number in sorted({c.file for c in classes}):
            yield from ((number, c) for c in self.world.view(number).called.get(name, ()) if c.callee == name)

    def _calls_on(self, name: str, states: Iterable[str]) -> Iterator[tuple[int, Call]]:
        for state in states:
            if name != "*":
                yield from ((m.file, m.call) for m in self.uses.called_on(name, state) if m.call)
                continue
            field = last_part(state.replace("::", "."))
            for number in self.world.files_with("u", field):
                for call in self.world.view(number).facts.calls:
                    if field in call.callee and self.uses.received_by(number, call, state):
                        yield number, call

    def _instance_calls(self, pattern: str) -> Iterator[tuple[int, Call]]:
        """Calls of an object of the class: `handler(payload)`."""
        family = {s for c in self.world.classes(pattern) for s in (c, *self.world.subclasses(c))}
        names = {self.world.name(s) for s in family}
        for number in sorted({n for name in names for kind in "di" for n in self.world.files_with(kind, name)}):
            for call in self.world.view(number).facts.calls:
                if any(t.kind == "obj" and t.ref in family for t in self.types.of(number, call.scope, call.callee)):
                    yield number, call

    def _at_call(self, number: int, call: Call, end: End) -> Iterator[Found]:
        if end.args and not any(
            re.search(end.args, f"{a.keyword}={a.text}" if a.keyword else a.text) for a in call.args
        ):
            return
        key = self._call_key(number, call, end)
        if end.hands:
            yield from (Found(f, number, call.line, key) for f in self.handed(number, call, end.hands))
        else:
            yield Found(self._function(number, call.scope), number, call.line, key)

    def handed(self, number: int, call: Call, which: str = "*") -> Iterator[Sym]:
        """The functions that `call` is given, also inside lists and tuples (`which`: any, a position, a keyword)."""
        direct = [
            f
            for k, arg in enumerate(call.args)
            if which in ("*", arg.keyword) or (not arg.keyword and which == str(k))
            for f in self._functions(number, call.scope, arg.path)
        ]
        yield from direct
        if which == "*" and not direct:
            for a in self.world.view(number).accesses.get(call.scope, ()):
                if a.op == "read" and call.line <= a.line <= call.last:
                    yield from self._functions(number, call.scope, a.target)

    def _functions(self, number: int, scope: int, path: str) -> Iterator[Sym]:
        if path and path[0] not in "#?<" and not path.endswith("()"):
            for t in self.types.of(number, scope, path):
                if t.kind == "fn" and isinstance(t.ref, Sym):
                    yield t.ref

    def _passes(self, end: End) -> Iterator[Found]:
        for pattern in end.patterns:
            family = {s for c in self.world.classes(pattern) for s in (c, *self.world.subclasses(c))}
            for name in sorted({self.world.name(s) for s in family}):
                for number in self.world.files_with("u", name):
                    for call in self.world.view(number).facts.calls:
                        for arg in call.args:
                            if name in arg.path and self._is_of(number, call.scope, arg.path, family):
                                key = last_part(arg.path)
                                yield from (f._replace(key=key) for f in self._at_call(number, call, end))

    def _is_of(self, number: int, scope: int, path: str, family: set[Sym]) -> bool:
        """Whether `path` is a member of an enum of the family, or a class of it."""
        if "(" in path:
            return False
        return any(
            t.ref in family and t.kind in ("cls", "obj") and (t.kind == "cls" or "." in path)
            for t in self.types.of(number, scope, path)
        )

    # -- keys ------------------------------------------------------------------------
    def _call_key(self, number: int, call: Call, end: End) -> str:
        for want in end.key:
            if want == "name":
                return last_part(parts(call.callee)[-1].lstrip(".").split("<", 1)[0])
            kind, _, which = want.partition(" ")
            for k, arg in enumerate(call.args):
                if kind in ("arg", "type") and (arg.keyword == which or (not arg.keyword and which == str(k))):
                    found = self._constant(number, call.scope, arg)
                    if found:
                        return found
        return ""

    def _constant(self, number: int, scope: int, arg: Arg) -> str:
        """The text of a string argument, through module and class constants; of anything else its last name."""
        if arg.path == "#str":
            return arg.text
        items = parts(arg.path)
        if not items or items[0][0] in "#?<" or items[-1] == "()":
            return ""
        name = items[-1].lstrip(".")
        if len(items) == 1:
            found = self.world.lookup(number, scope, name)
            owner, _, last = found.rpartition(".") if isinstance(found, str) else ("", "", "")
            places = [(number, -1, name), (self.world.modules.get(owner, -1), -1, last)]
        else:
            before = self.types.of(number, scope, join(items[:-1]))
            places = [(t.ref.file, t.ref.index, name) for t in before if isinstance(t.ref, Sym)]
        for file, index, field in places:
            held = self.world.view(file).fields.get((index, field)) if file >= 0 else None
            if held and held[0].value == "#str":
                return held[0].text.strip("\"'")
        return name

    # -- definitions -----------------------------------------------------------------
    def _define(self, end: End) -> Iterator[Found]:
        for pattern in end.patterns:
            owner, _, name = pattern.replace("::", ".").rpartition(".")
            for base in self.world.classes(owner) if owner else ():
                for cls in (base, *self.world.subclasses(base)):
                    for method in self.world.method_names(cls) if name == "*" else (name,):
                        yield from self._whole(self.world.methods(cls, method), method)
            if not (owner and self.world.classes(owner)):
                yield from self._whole(self.world.functions(pattern), name)

    def _whole(self, syms: Iterable[Sym], key: str) -> Iterator[Found]:
        for s in syms:
            d = self.world.definition(s)
            if d is not None and d.kind == "function":
                yield Found(s, s.file, d.line, key)

    def _decorator(self, end: End) -> Iterator[Found]:
        for pattern in end.patterns:
            for m in self.uses.defined("@" + pattern):
                d = m.definition
                if d is None:
                    continue
                text = next((g for g in d.decorators if last_part(g.split("(")[0]) == last_part(pattern)), "")
                if not end.args or re.search(end.args, text):
                    sym = Sym(m.file, m.scope)
                    yield Found(sym, m.file, d.line, self._decorator_key(d, text, end))

    @staticmethod
    def _decorator_key(d: Definition, text: str, end: End) -> str:
        for want in end.key:
            if want == "name":
                return last_part(d.name)
            _, _, keyword = want.partition(" ")
            spelt = re.search(rf"\b{re.escape(keyword)}\s*=\s*['\"]?([\w.]+)", text)
            if spelt:
                return last_part(spelt.group(1))
        return ""

    # -- state and messages --------------------------------------------------------------
    def _op(self, end: End) -> Iterator[Found]:
        wanted = set(end.patterns)
        for state in end.state:
            for m in self.uses.state(state):
                if m.op in wanted or (m.op.startswith("augment") and "augment" in wanted):
                    yield Found(self._function(m.file, m.scope), m.file, m.line, last_part(state))

    def _writes(self, end: End) -> Iterator[Found]:
        for pattern in end.patterns:
            yield from (found for found, _ in self._of_fields(pattern, _WRITES))
            for m in self.uses.constructed(pattern):
                yield from (found for found, _ in self._made(m))

    def _givers(self, end: End, writers: Collection[Found]) -> Iterator[Found]:
        """The functions whose result is what `writers` write."""
        for pattern in end.patterns:
            for found, value in self._of_fields(pattern, _WRITES):
                if found in writers:
                    yield from self._giving(found, value)
            for m in self.uses.constructed(pattern):
                for found, value in self._made(m):
                    if found in writers:
                        yield from self._giving(found, value)

    def _giving(self, found: Found, value: str, depth: int = GIVERS) -> Iterator[Found]:
        """The functions that give `value`, through locals and through functions that pass it on."""
        number, scope = found.function
        for path in self.uses.spellings.spelt_out(number, scope, value):
            items = parts(path)
            ends = [k for k, i in enumerate(items) if i == "()"]
            for t in self.uses.calls.callees(number, scope, join(items[: ends[-1]])) if ends else ():
                if not isinstance(t.to, Sym) or not self.returns.relays(t.to):
                    continue
                d = self.world.definition(t.to)
                giver = Found(t.to, t.to.file, d.line if d else 1, found.key, found.of)
                yield giver
                for b in self.world.view(t.to.file).binds.get((t.to.index, "return"), ()) if depth else ():
                    yield from self._giving(giver, b.value, depth - 1)

    def _made(self, m: Match) -> Iterator[tuple[Found, str]]:
        """The fields of a message that its construction fills, with the values."""
        call = m.call
        if call is None:
            return
        made = [t.ref for t in self.types.of(m.file, call.scope, call.callee + "()") if isinstance(t.ref, Sym)]
        function = self._function(m.file, m.scope)
        for key, value in self._given(call, made):
            yield Found(function, m.file, m.line, key, made[0] if made else None), value

    def _given(self, call: Call, made: list[Sym]) -> Iterator[tuple[str, str]]:
        """The names of the fields that a construction fills, with the values."""
        names: dict[str, None] = {}
        for cls in reversed(self.world.mro(made[0])) if made else ():
            names |= {f.name: None for f in self.world.view(cls.file).facts.fields if f.owner == cls.index}
        order = list(names)
        for k, arg in enumerate(call.args):
            if arg.keyword not in ("", "*", "**"):
                yield arg.keyword, arg.path
            elif not arg.keyword and k < len(order):
                yield order[k], arg.path

    def _reads(self, end: End) -> Iterator[Found]:
        for pattern in end.patterns:
            yield from (found for found, _ in self._of_fields(pattern, _READS))

    def _of_fields(self, pattern: str, ops: frozenset[str]) -> Iterator[tuple[Found, str]]:
        """Accesses to any field of the message, with the value; what its own methods do is done by their callers."""
        for cls in self.world.classes(pattern):
            family = (cls, *self.world.subclasses(cls))
            for c in family:
                for name in sorted({n for o, n in self.world.view(c.file).fields if o == c.index}):
                    for m in self.uses.state(f"{self.world.symbol(c)}.{name}"):
                        if m.op not in ops:
                            continue
                        function = self._function(m.file, m.scope)
                        if self.world.owner(function) not in family:
                            yield Found(function, m.file, m.line, name, c), m.access.value if m.access else ""
                            continue
                        for site in self.uses.calls.callers(function):
                            caller = self._function(site.file, site.call.scope)
                            yield Found(caller, site.file, site.call.line, name, c), ""
