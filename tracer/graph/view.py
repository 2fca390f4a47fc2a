"""One file's facts with the look-ups that resolution needs. Everything is made when first asked for."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar

from tracer.survey.facts import Access, Arg, Bind, Call, Definition, Field, FileFacts, Import, Mark
from tracer.survey.paths import names_in, parts
from tracer.survey.store import last_part

Fact = TypeVar("Fact")
Key = TypeVar("Key")


def _grouped(facts: Iterable[Fact], key: Callable[[Fact], Key]) -> dict[Key, list[Fact]]:
    """Facts by a key, each group in order."""
    out: dict[Key, list[Fact]] = {}
    for fact in facts:
        out.setdefault(key(fact), []).append(fact)
    return out


class FileView:
    """One file's facts with the look-ups that resolution needs."""

    def __init__(self, facts: FileFacts, path: str, module: str) -> None:
        self.facts, self.path, self.module = facts, path, module
        self.python = facts.language == "python"
        self.package = path.endswith("/__init__.py")

    @cached_property
    def children(self) -> dict[tuple[int, str], list[int]]:
        """(parent index, last name) → definition indices."""
        out: dict[tuple[int, str], list[int]] = {}
        for i, d in enumerate(self.facts.definitions):
            out.setdefault((d.parent, last_part(d.name)), []).append(i)
        return out

    @cached_property
    def fields(self) -> dict[tuple[int, str], list[Field]]:
        """(owner index, field name) → declarations."""
        return _grouped(self.facts.fields, lambda f: (f.owner, f.name))

    @cached_property
    def binds(self) -> dict[tuple[int, str], list[Bind]]:
        """(scope, local name) → values it gets."""
        return _grouped(self.facts.binds, lambda b: (b.scope, b.name))

    @cached_property
    def imports(self) -> dict[str, list[Import]]:
        """Local alias → imports."""
        return _grouped(self.facts.imports, lambda i: i.alias)

    @cached_property
    def stars(self) -> list[Import]:
        """Star imports."""
        return [i for i in self.facts.imports if i.alias == "*" or i.name == "*"]

    @cached_property
    def accesses(self) -> dict[int, list[Access]]:
        """Scope → accesses."""
        return _grouped(self.facts.accesses, lambda a: a.scope)

    @cached_property
    def calls(self) -> dict[int, list[Call]]:
        """Scope → calls."""
        return _grouped(self.facts.calls, lambda c: c.scope)

    @cached_property
    def called(self) -> dict[str, list[Call]]:
        """Last name of the callee (without template arguments) → calls, in order."""
        out: dict[str, list[Call]] = {}
        for c in self.facts.calls:
            if c.callee[-1:] in ")]>":  # `f()()`, `table[k]()`, `f<T>()`: only the parts tell the last name
                items = parts(c.callee)
                last = items[-1].lstrip(".").split("<", 1)[0] if items else ""
            else:
                last = c.callee.rsplit(".", 1)[-1]
            out.setdefault(last_part(last), []).append(c)
        return out

    @cached_property
    def given(self) -> dict[str, list[tuple[Call, int, Arg]]]:
        """Last name of an argument's path (before a final call) → calls that are given it, with its position."""
        out: dict[str, list[tuple[Call, int, Arg]]] = {}
        for c in self.facts.calls:
            for k, arg in enumerate(c.args):
                if arg.path and arg.path[0] not in "#?<":
                    out.setdefault(last_part(arg.path.removesuffix("()")), []).append((c, k, arg))
        return out

    @cached_property
    def naming(self) -> dict[str, list[Call]]:
        """Last name of an argument's path (before a final call), or text of a string → calls that are given it."""
        out: dict[str, dict[int, Call]] = {}
        for k, c in enumerate(self.facts.calls):
            for arg in c.args:
                name = arg.text if arg.path == "#str" else last_part(arg.path.removesuffix("()"))
                out.setdefault(name, {})[k] = c
        return {name: list(calls.values()) for name, calls in out.items()}

    @cached_property
    def calls_of(self) -> dict[int, list[Call]]:
        """Function (-1: the module) → the calls that are its own code, in order."""
        return _grouped(self.facts.calls, self._holder)

    @cached_property
    def accesses_of(self) -> dict[int, list[Access]]:
        """Function (-1: the module) → the accesses that are its own code, in order."""
        return _grouped(self.facts.accesses, self._holder)

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """Last part of a definition's name → definition indices, in order."""
        out: dict[str, list[int]] = {}
        for i, d in enumerate(self.facts.definitions):
            out.setdefault(last_part(d.name), []).append(i)
        return out

    @cached_property
    def binds_in(self) -> dict[int, list[Bind]]:
        """Scope → the values that its local names get."""
        return _grouped(self.facts.binds, lambda b: b.scope)

    def _holder(self, fact: Access | Call) -> int:
        return self.holders[fact.scope] if fact.scope >= 0 else -1

    @cached_property
    def holders(self) -> list[int]:
        """For each scope the function it is or lies in; -1: none. Classes are passed over."""
        out: list[int] = []
        for i, d in enumerate(self.facts.definitions):
            out.append(i if d.kind == "function" else out[d.parent] if d.parent >= 0 else -1)
        return out

    @cached_property
    def chains(self) -> list[tuple[int, ...]]:
        """For each scope itself and its enclosing scopes, innermost first."""
        out: list[tuple[int, ...]] = []
        for i, d in enumerate(self.facts.definitions):
            out.append((i, *out[d.parent]) if d.parent >= 0 else (i,))
        return out

    @cached_property
    def targets(self) -> dict[str, list[Access]]:
        """Name → the accesses that spell it in the path of their state, in order."""
        out: dict[str, list[Access]] = {}
        for a in self.facts.accesses:
            for name in names_in(a.target):
                out.setdefault(name, []).append(a)
        return out

    @cached_property
    def looks(self) -> dict[str, list[Access]]:
        """Name → the accesses that look at a path with it: reads, and what is stored from it; in order."""
        out: dict[str, list[Access]] = {}
        for a in self.facts.accesses:
            for name in dict.fromkeys(names_in(a.target if a.op == "read" else a.value)):
                out.setdefault(name, []).append(a)
        return out

    @cached_property
    def spelling(self) -> dict[str, list[int]]:
        """Name → the scopes that spell it in the path of a state, a value, a callee or an argument; sorted."""
        out: dict[str, set[int]] = {name: {a.scope for a in found} for name, found in self.targets.items()}
        said = [(b.scope, b.value) for b in self.facts.binds]
        for c in self.facts.calls:
            said.append((c.scope, c.callee))
            said += [(c.scope, a.path) for a in c.args]
        for scope, path in dict.fromkeys(said):
            for name in names_in(path):
                if name in out:
                    out[name].add(scope)
                else:
                    out[name] = {scope}
        return {name: sorted(scopes) for name, scopes in out.items()}

    @cached_property
    def handing(self) -> dict[str, list[tuple[Call, str]]]:
        """Last name of an argument's path → the calls that are given such a field, with the path."""
        out: dict[str, list[tuple[Call, str]]] = {}
        for c in self.facts.calls:
            for a in c.args:
                if "." in a.path:
                    out.setdefault(a.path.rsplit(".", 1)[1], []).append((c, a.path))
        return out

    @cached_property
    def marks(self) -> dict[int, list[Mark]]:
        """Scope → marks."""
        out: dict[int, list[Mark]] = {}
        for m in self.facts.marks:
            out.setdefault(m.scope, []).append(m)
        return out

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        return sorted(
            (d.first, i) for i, d in enumerate(self.facts.definitions) if d.kind in ("function", "class", "enum")
        )

    def scope_at(self, line: int) -> int:
        """Index of the innermost definition around `line`; -1 at module level."""
        at = bisect.bisect_right(self._starts, (line, 1 << 30)) - 1
        while at >= 0:
            index = self._starts[at][1]
            if self.facts.definitions[index].last >= line:
                return index
            at -= 1
        return -1

    def definition(self, index: int) -> Definition | None:
        """The definition at `index`; None for the module."""
        return self.facts.definitions[index] if index >= 0 else None
