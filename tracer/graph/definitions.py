"""Facts of one or several trees → their files, modules and definitions, by number and by name.

Everything is opened on demand, by name, so a question touches only the files it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tracer.graph.view import FileView
from tracer.kept import kept
from tracer.survey import Facts
from tracer.survey.facts import Definition
from tracer.survey.store import last_part
from tracer.targets import Target, context_of, module_of


class Sym(NamedTuple):
    """A definition: number of its file in the world, index in that file's definitions (-1: the module itself)."""

    file: int
    index: int  # type: ignore[assignment]  # shadows tuple.index, which nobody calls here


@dataclass(frozen=True, slots=True)
class Part:
    """One tree of the world: its facts, its target, and the world's number of its first file."""

    facts: Facts
    target: Target
    offset: int


class _Views(dict[int, FileView]):
    """The files of a world, opened when first asked for."""

    def __init__(self, opened: Callable[[int], FileView]) -> None:
        super().__init__()
        self.opened = opened

    def __missing__(self, number: int) -> FileView:
        found = self[number] = self.opened(number)
        return found


class Definitions:
    """The files of one or several trees, numbered in one row, and their definitions by number and by name."""

    def __init__(self, parts: Sequence[tuple[Facts, Target]]) -> None:
        self.parts: list[Part] = []
        offset = 0
        for facts, target in parts:
            self.parts.append(Part(facts, target, offset))
            offset += len(facts.files)
        self.size = offset
        self._files: dict[tuple[str, str], list[int]] = {}
        # Facts and look-ups of a file by its number. Asked millions of times, so it is a dictionary's own method.
        self.view: Callable[[int], FileView] = _Views(self._open).__getitem__

    # -- files -----------------------------------------------------------------
    def part_of(self, number: int) -> Part:
        """The tree that file `number` belongs to."""
        for part in reversed(self.parts):
            if number >= part.offset:
                return part
        raise IndexError(number)

    def path(self, number: int) -> str:
        """Repository path of file `number`."""
        part = self.part_of(number)
        return part.facts.files[number - part.offset].path

    @kept
    def context(self, number: int) -> str:
        """The target's label for the file ("" = live code; test, mock, bench, …)."""
        return context_of(self.part_of(number).target, self.path(number))

    def _open(self, number: int) -> FileView:
        part = self.part_of(number)
        path = part.facts.files[number - part.offset].path
        return FileView(part.facts.of(number - part.offset), path, self.module(number))

    def files_with(self, kind: str, name: str) -> list[int]:
        """World numbers of the files that mention `name` as `kind` (see `survey.store.names_of`)."""
        found = self._files.get((kind, name))
        if found is None:
            found = [n + p.offset for p in self.parts for n in p.facts.files_with(kind, name)]
            self._files[kind, name] = found
        return found

    def names(self, kind: str) -> set[str]:
        """All names of one kind in all trees."""
        return {n for p in self.parts for n in p.facts.names(kind)}

    # -- modules and symbols -----------------------------------------------------
    @kept
    def module(self, number: int) -> str:
        """Dotted module name of a Python file; "" for C++."""
        path = self.path(number)
        return module_of(self.part_of(number).target, path) if path.endswith((".py", ".pyi")) else ""

    @cached_property
    def modules(self) -> dict[str, int]:
        """Dotted name → file number; a package's name is its `__init__`."""
        out: dict[str, int] = {}
        for number in range(self.size):
            name = self.module(number)
            if name and (name not in out or not self.path(number).endswith(".pyi")):
                out[name] = number
        return out

    @cached_property
    def packages(self) -> frozenset[str]:
        """Every dotted prefix of a module: packages, also those without `__init__`."""
        out: set[str] = set()
        for name in self.modules:
            bits = name.split(".")
            out.update(".".join(bits[:k]) for k in range(1, len(bits)))
        return frozenset(out)

    def definition(self, sym: Sym) -> Definition | None:
        """The definition behind `sym`; None for a module."""
        index = sym.index
        return self.view(sym.file).facts.definitions[index] if index >= 0 else None

    def kind(self, sym: Sym) -> str:
        """The definition's kind (class, enum, function, declaration, alias); "module" for a file itself."""
        d = self.definition(sym)
        return d.kind if d is not None else "module"

    def name(self, sym: Sym) -> str:
        """The last part of the definition's name; "" for a module."""
        d = self.definition(sym)
        return last_part(d.name) if d is not None else ""

    @kept
    def symbol(self, sym: Sym) -> str:
        """The symbol text of DESIGN §3: dotted for Python, `ns::Class::method` for C++."""
        view = self.view(sym.file)
        name = "" if sym.index < 0 else view.facts.definitions[sym.index].name
        if not view.python:
            return name or view.path
        return ".".join(p for p in (view.module, name) if p)

    def function_of(self, file: int, scope: int) -> int:
        """The scope itself if it is a function, else the nearest enclosing one (-1: none; classes are passed over)."""
        return self.view(file).holders[scope] if scope >= 0 else -1

    @kept
    def sources(self, number: int) -> dict[int, Sym]:
        """For each scope of file `number` the function that its code belongs to; -1 is the module's own."""
        return {-1: Sym(number, -1)} | {s: Sym(number, f) for s, f in enumerate(self.view(number).holders)}

    def chain(self, file: int, scope: int) -> tuple[int, ...]:
        """`scope` and its enclosing scopes, innermost first, without the module."""
        return self.view(file).chains[scope] if scope >= 0 else ()

    # -- definitions by name -------------------------------------------------------
    @kept
    def defined(self, name: str) -> tuple[Sym, ...]:
        """All definitions whose last name part is `name`, in file order."""
        files = self.files_with("d", name)
        return tuple(Sym(number, i) for number in files for i in self.view(number).named.get(name, ()))

    def classes(self, pattern: str) -> tuple[Sym, ...]:
        """Classes and enums that `pattern` (a name or any dotted/`::` tail of a symbol) names."""
        return tuple(s for s in self.defined(last_part(pattern)) if self.is_class(s) and self.matches(s, pattern))

    def functions(self, pattern: str) -> tuple[Sym, ...]:
        """Functions whose symbol ends with `pattern`."""
        return tuple(s for s in self.defined(last_part(pattern)) if not self.is_class(s) and self.matches(s, pattern))

    def matches(self, sym: Sym, pattern: str) -> bool:
        """Whether `pattern` is the symbol or a tail of it at a component border."""
        have = self.symbol(sym).replace("::", ".")
        want = pattern.replace("::", ".").removeprefix(".")
        return have == want or have.endswith("." + want)

    def is_class(self, sym: Sym) -> bool:
        """Whether `sym` is a class or enum."""
        d = self.definition(sym)
        return d is not None and d.kind in ("class", "enum")
