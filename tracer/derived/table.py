"""Every field of live code with all that is done to it: the table that each derivation reads.

Takes `Uses` (facts by type); gives `State`s by (class, field), and per function what it does to which state.
A local that stands for a container (`rows = self._rows[tag]; rows.pop(k)`) counts as the container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tracer.graph.annotations import DICTS
from tracer.graph.containers import last_name
from tracer.graph.crossings import Crossings
from tracer.graph.places import Match
from tracer.graph.uses import Uses, reads
from tracer.graph.world import Sym
from tracer.model import lines_of
from tracer.survey.facts import Access
from tracer.survey.paths import join, parts

Key = tuple[Sym, str]  # the class that declares a field, and the field
KEYED = frozenset({"get", "find", "count", "contains", "at"})  # asks a container for one key
CHANGES = ("insert", "remove", "clear")


@dataclass(slots=True)
class State:
    """All that is done to one field, by op; `asked`: the reads by key or membership among them."""

    ops: dict[str, list[Match]] = field(default_factory=dict)
    asked: list[Match] = field(default_factory=list)

    def of(self, *ops: str) -> list[Match]:
        """The matches of these ops."""
        return [m for op in ops for m in self.ops.get(op, ())]

    def tested(self) -> list[Match]:
        """The reads inside a test."""
        return [m for m in self.of("read") if m.access is not None and m.access.test]


class Table:
    """The states of one world."""

    def __init__(self, uses: Uses, crossings: Crossings) -> None:
        self.uses, self.world, self.types, self.crossings = uses, uses.world, uses.types, crossings
        self._lines: dict[int, list[str]] = {}

    @cached_property
    def states(self) -> dict[Key, State]:
        """Every field of live code with what is done to it."""
        out: dict[Key, State] = {}
        for number in range(self.world.size):
            if self.world.context(number):
                continue
            for key, m, asked in self._of_file(number):
                state = out.setdefault(key, State())
                state.ops.setdefault(m.op, []).append(m)
                if asked:
                    state.asked.append(m)
        return out

    @cached_property
    def by_function(self) -> dict[Sym, list[tuple[Key, Match]]]:
        """Function → what it does to which state, by line."""
        out: dict[Sym, list[tuple[Key, Match]]] = {}
        for key, state in self.states.items():
            for matches in state.ops.values():
                for m in matches:
                    out.setdefault(self.function(m), []).append((key, m))
        for found in out.values():
            found.sort(key=lambda f: (f[1].line, f[0][1], f[1].op))
        return out

    @cached_property
    def users(self) -> dict[Key, int]:
        """In how many functions a field is used, at once or through a field that holds an object of its class."""
        own = {k: {self.function(m) for ms in s.ops.values() for m in ms} for k, s in self.states.items()}
        held: dict[Sym, set[Sym]] = {}
        for key, functions in own.items():
            for t in self.types.attribute_of(*key):
                for inner in (t, *(e for arg in t.args for e in arg)):
                    if inner.kind == "obj" and isinstance(inner.ref, Sym):
                        held.setdefault(inner.ref, set()).update(functions)
        return {k: len(functions | held.get(k[0], set())) for k, functions in own.items()}

    def function(self, m: Match) -> Sym:
        """The function that holds a match; closures count for themselves."""
        return Sym(m.file, self.world.function_of(m.file, m.scope))

    def functions(self, matches: list[Match]) -> set[Sym]:
        """The functions that hold the matches."""
        return {self.function(m) for m in matches}

    def is_map(self, key: Key) -> bool:
        """Whether the field is a mapping, or is asked by subscript where its type is not known."""
        types = self.types.attribute_of(*key)
        if any(t.kind == "ext" and last_name(t) in DICTS for t in types):
            return True
        return not types and any(m.access is not None and "[" in m.access.target for m in self.states[key].asked)

    def is_queue(self, key: Key) -> bool:
        """Whether the field is a queue between threads, of the language or of a class called so."""
        return any(
            (t.kind == "ext" and last_name(t).endswith("Queue"))
            or (t.kind == "obj" and isinstance(t.ref, Sym) and "Queue" in self.world.name(t.ref))
            for t in self.types.attribute_of(*key)
        )

    def name(self, key: Key) -> str:
        """`Class.field`, as a reason shows it."""
        return f"{self.world.name(key[0]) or self.world.symbol(key[0])}.{key[1]}"

    # -- facts of one file --------------------------------------------------------------
    def _of_file(self, number: int) -> Iterator[tuple[Key, Match, bool]]:
        facts = self.world.view(number).facts
        for a in facts.accesses:
            yield from self._inner(number, a.scope, a.target, a.line, a.last)
            key = self.key_of(number, a.scope, a.target, local=a.op in CHANGES)
            if key is None:
                continue
            born = a.op in ("write", "clear") and self.uses.in_construction(number, a.scope, a.target)
            asked = a.op == "read" and (a.target.endswith("]") or (a.test and _member(a.text, key[1])))
            yield key, Match(number, a.scope, a.line, a.last, "init" if born else a.op, "typed", access=a), asked
        for c in facts.calls:
            yield from self._inner(number, c.scope, c.callee, c.line, c.last)
            op = _BUILTINS.get(c.callee, "")
            if op and c.args:
                key = self.key_of(number, c.scope, c.args[0].path)
                if key is not None:
                    a = Access(c.scope, c.args[0].path, op, c.line, c.last)
                    yield key, Match(number, c.scope, c.line, c.last, op, "typed", access=a, call=c), False
            if reads(c):
                owner, _, method = c.callee.rpartition(".")
                key = self.key_of(number, c.scope, owner)
                if key is not None:
                    text = self.line(number, c.line) if method in ("load", "get", "empty", "size") else ""
                    a = Access(c.scope, owner, "read", c.line, c.last, "", text, bool(text) and tests(text))
                    m = Match(number, c.scope, c.line, c.last, "read", "typed", access=a, call=c)
                    yield key, m, method in KEYED

    def _inner(self, number: int, scope: int, path: str, line: int, last: int) -> Iterator[tuple[Key, Match, bool]]:
        """The container that `self.rows[k].seen` takes its element from: a read by key."""
        at = path.find("[")
        if at <= 0 or "." not in path[at:]:
            return
        owner = path[:at]
        key = self.key_of(number, scope, owner)
        if key is not None:
            a = Access(scope, owner + "[]", "read", line, last)
            yield key, Match(number, scope, line, last, "read", "typed", access=a), True

    def line(self, number: int, line: int) -> str:
        """The text of one line of a file."""
        lines = self.lines(number)
        return lines[line - 1].strip() if line <= len(lines) else ""

    def lines(self, number: int) -> list[str]:
        """The file's lines."""
        found = self._lines.get(number)
        if found is None:
            tree = self.world.part_of(number).facts.tree
            found = self._lines[number] = lines_of(tree.read(self.world.path(number)))
        return found

    def key_of(self, number: int, scope: int, path: str, *, local: bool = False) -> Key | None:
        """The field that `path` means; `local`: also through a local that was taken out of a field."""
        key = self.crossings.field_of(number, Access(scope, path, "read", 0, 0))
        if key is not None or not local:
            return key
        items = parts(path)
        if not items or any(i[0] == "." for i in items):
            return None
        for s in self.world.chain(number, scope):
            for b in self.world.view(number).binds.get((s, items[0]), ()):
                if "." in b.value and not b.value.endswith("()"):
                    found = self.crossings.field_of(number, Access(s, b.value, "read", 0, 0))
                    if found is not None:
                        return found
        return None

    def element_key(self, number: int, scope: int, path: str) -> Key | None:
        """The container that the value of `path` was taken out of: `self.rows[k]`, `self.rows.get(k)`."""
        items = parts(path)
        while items and (items[-1][0] in "[(" or items[-1] in _TAKES):
            items = items[:-1]
        return self.crossings.field_of(number, Access(scope, join(items), "read", 0, 0)) if items else None


_BUILTINS = {  # the compilers' own atomics
    "__sync_fetch_and_add": "augment+", "__sync_add_and_fetch": "augment+", "__atomic_fetch_add": "augment+",
    "__atomic_add_fetch": "augment+", "__sync_fetch_and_sub": "augment-", "__sync_sub_and_fetch": "augment-",
    "__atomic_fetch_sub": "augment-", "__atomic_sub_fetch": "augment-",
}  # fmt: skip
_TAKES = frozenset({".get", ".pop", ".popitem", ".popleft", ".setdefault", ".find", ".at", ".second", ".extract"})


def tests(line: str) -> bool:
    """Whether a line of source holds a test, by its text: for calls, of which facts do not tell."""
    return _TEST.search(line) is not None


_TEST = re.compile(
    r"^(?:\}\s*)?(?:if|elif|while|assert|else if|and|or|not)\b|\bif\b|&&|\|\||\?|(?<![-<])[<>]=?(?![<>])\s*\S|[=!]="
)


def _member(test: str, name: str) -> bool:
    """Whether the test asks for membership in a field of this name."""
    return re.search(rf"\bin\s+[\w.\[\]()]*\b{re.escape(name)}\b", test) is not None
