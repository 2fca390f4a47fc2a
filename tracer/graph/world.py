"""Facts of one or several trees → who is who: modules, symbols, classes, members, hierarchy.

Everything is opened on demand, by name, so a question touches only the files it needs. No types here (`types.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tracer.graph.view import FileView
from tracer.kept import kept
from tracer.survey import Facts
from tracer.survey.facts import Definition, Import
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


class World:
    """One or several trees, seen as one body of code."""

    def __init__(self, parts: Sequence[tuple[Facts, Target]]) -> None:
        self.parts: list[Part] = []
        offset = 0
        for facts, target in parts:
            self.parts.append(Part(facts, target, offset))
            offset += len(facts.files)
        self.size = offset
        self._mro: dict[Sym, tuple[Sym, ...]] = {}
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

    # -- hierarchy -----------------------------------------------------------------
    @kept
    def owner(self, sym: Sym) -> Sym | None:
        """The class that a method belongs to (C++ out-of-line too); None for a free function."""
        d = self.definition(sym)
        if d is None:
            return None
        if d.parent >= 0:
            parent = Sym(sym.file, d.parent)
            return parent if self.is_class(parent) else None
        if not self.view(sym.file).python and "::" in d.name:
            return self.cpp_class(d.name.rsplit("::", 1)[0], sym.file)
        return None

    @kept
    def cpp_class(self, name: str, near: int) -> Sym | None:
        """The C++ class of this qualified name, in file `near` first."""
        found = [s for s in self.defined(last_part(name)) if self.is_class(s) and not self.view(s.file).python]
        exact = [s for s in found if self.symbol(s) == name] or [s for s in found if self.matches(s, name)]
        here = [s for s in exact if s.file == near]
        return next(iter(here or exact), None)

    def method_names(self, cls: Sym) -> list[str]:
        """Names defined directly in the class, sorted."""
        return sorted({name for parent, name in self.view(cls.file).children if parent == cls.index})

    @kept
    def methods(self, cls: Sym, name: str) -> tuple[Sym, ...]:
        """Definitions of method `name` in class `cls` itself: bodies first, then declarations."""
        view = self.view(cls.file)
        found = [Sym(cls.file, i) for i in view.children.get((cls.index, name), ())]
        if not view.python:
            full = f"{self.symbol(cls)}::{name}"
            found += [s for s in self.defined(name) if s not in found and self.symbol(s) == full]
        bodies = [s for s in found if self.kind(s) == "function"]
        return (*bodies, *(s for s in found if self.kind(s) == "declaration"))

    @kept
    def subclasses(self, cls: Sym) -> tuple[Sym, ...]:
        """All direct and indirect subclasses in the world."""
        out: list[Sym] = []
        todo = [cls]
        while todo:
            base = todo.pop()
            d = self.definition(base)
            if d is None:
                continue
            for number in self.files_with("b", last_part(d.name)):
                for i, other in enumerate(self.view(number).facts.definitions):
                    sub = Sym(number, i)
                    if other.kind not in ("class", "enum") or sub in out or sub == cls:
                        continue
                    if other.bases and base in self.bases(sub):
                        out.append(sub)
                        todo.append(sub)
        return tuple(sorted(out))

    def bases(self, cls: Sym) -> tuple[Sym, ...]:
        """Direct base classes that are in the world."""
        return self._bases(cls)

    @kept
    def _bases(self, cls: Sym) -> tuple[Sym, ...]:
        d = self.definition(cls)
        out: list[Sym] = []
        for text in d.bases if d else ():
            name = text.split("[")[0].split("<")[0].strip()
            if self.view(cls.file).python:
                found = self.resolve(cls.file, d.parent if d else -1, name)
                if isinstance(found, Sym) and self.is_class(found) and found != cls:
                    out.append(found)
            else:
                around = d.name.rpartition("::")[0] if d else ""  # bases are seen from there, not from in the class
                base = self.cpp_lookup(name, cls.file, around)
                if base and base != cls:
                    out.append(base)
        return tuple(out)

    def mro(self, cls: Sym) -> tuple[Sym, ...]:
        """The class and its ancestors in resolution order (C3 where it exists, else depth first)."""
        if cls not in self._mro:
            self._mro[cls] = (cls,)  # a cycle in broken code ends here
            self._mro[cls] = self._linearise(cls)
        return self._mro[cls]

    def _linearise(self, cls: Sym) -> tuple[Sym, ...]:
        bases = self.bases(cls)
        rows = [list(self.mro(b)) for b in bases] + [list(bases)]
        out = [cls]
        while any(rows):
            for row in rows:
                if row and not any(row[0] in other[1:] for other in rows):
                    head = row[0]
                    break
            else:  # inconsistent: take what comes first
                head = next(r[0] for r in rows if r)
            out.append(head)
            rows = [[s for s in row if s != head] for row in rows]
        return tuple(dict.fromkeys(out))

    def is_a(self, cls: Sym, base: Sym) -> bool:
        """Whether `cls` is `base` or derives from it."""
        return base in self.mro(cls)

    def overrides(self, method: Sym, base: Sym) -> bool:
        """Whether `method` overrides `base`."""
        a, b = self.owner(method), self.owner(base)
        da, db = self.definition(method), self.definition(base)
        return bool(a and b and da and db and last_part(da.name) == last_part(db.name) and a != b and self.is_a(a, b))

    # -- names in scope --------------------------------------------------------------
    def resolve(self, file: int, scope: int, dotted: str) -> Sym | str | None:
        """What a dotted name means in the classes around `scope` or its module: a definition, external name, or None.

        Locals and parameters are the business of `types.py`.
        """
        head, _, rest = dotted.partition(".")
        found = self.lookup(file, scope, head)
        while rest and found is not None:
            head, _, rest = rest.partition(".")
            found = self.member_of(found, head)
        return found

    def lookup(self, file: int, scope: int, name: str) -> Sym | str | None:
        """A bare name: nested definitions outwards, then the module's, imports, star imports."""
        view = self.view(file)
        for s in (*self.chain(file, scope), -1):
            found = view.children.get((s, name))
            if found and not (view.python and s >= 0 and s != scope and self.is_class(Sym(file, s))):
                return Sym(file, found[-1])  # Python's methods do not see the names of their class
        for i in view.imports.get(name, ()):
            target = self.imported(file, i)
            if target is not None:
                return target
        for star in view.stars:
            module = self.absolute(file, star)
            number = self.modules.get(module)
            if number is not None and number != file:
                target = self.module_member(number, name)
                if target is not None:
                    return target
        return None

    def absolute(self, file: int, imported: Import) -> str:
        """The absolute dotted module of an import statement."""
        if not imported.level:
            return imported.module
        view = self.view(file)
        bits = view.module.split(".")
        keep = len(bits) - imported.level + (1 if view.package else 0)
        return ".".join([*bits[: max(keep, 0)], *([imported.module] if imported.module else [])])

    def imported(self, file: int, i: Import) -> Sym | str | None:
        """What an import binds: a definition, a module (Sym with index -1), or an external dotted name."""
        module = self.absolute(file, i)
        if not i.name:  # import a.b.c [as x]
            name = module if i.alias != module.split(".")[0] else i.alias
            return self._module_or_external(name)
        number = self.modules.get(module)
        if number is not None and (number != file or self.view(file).package):
            found = self.module_member(number, i.name) if number != file else None
            if found is not None:
                return found
        if f"{module}.{i.name}" in self.modules or module in self.modules or module in self.packages:
            return self._module_or_external(f"{module}.{i.name}")
        return f"{module}.{i.name}"

    def _module_or_external(self, dotted: str) -> Sym | str:
        number = self.modules.get(dotted)
        return Sym(number, -1) if number is not None else dotted

    @kept
    def module_member(self, number: int, name: str) -> Sym | str | None:
        """A module's name as seen from outside, through re-exports."""
        return _guarded(self, ("member", number, name), lambda: self.lookup(number, -1, name))

    def member_of(self, found: Sym | str, name: str) -> Sym | str | None:
        """`found.name` for a module, class or external name (instance fields are the business of `types.py`)."""
        if isinstance(found, str):
            dotted = f"{found}.{name}"
            return self._module_or_external(dotted) if dotted in self.modules or found in self.packages else dotted
        if found.index < 0:
            member = self.module_member(found.file, name)
            if member is None:
                dotted = f"{self.view(found.file).module}.{name}"
                return Sym(self.modules[dotted], -1) if dotted in self.modules else None
            return member
        for cls in self.mro(found) if self.is_class(found) else ():
            inner = self.view(cls.file).children.get((cls.index, name))
            if inner:
                return Sym(cls.file, inner[-1])
        return None

    def cpp_lookup(self, name: str, file: int, inside: str) -> Sym | None:
        """The C++ class or alias called `name` as seen from qualified name `inside`: innermost namespace first."""
        return self._cpp_lookup(name, file, inside)

    @kept
    def _cpp_bases(self, name: str, file: int) -> tuple[Sym, ...]:
        """The bases of the class called exactly `name`: their member types are seen in it."""
        mark = (id(self), ("bases", name))
        if not name or mark in _running:
            return ()
        _running.add(mark)
        try:
            cls = self.cpp_class(name, file)
            return self.mro(cls)[1:] if cls is not None and self.symbol(cls) == name else ()
        finally:
            _running.discard(mark)

    @kept
    def _cpp_lookup(self, name: str, file: int, inside: str) -> Sym | None:
        wanted = self._cpp_named(last_part(name))
        if not wanted:
            return None
        bare = name.removeprefix("::")
        scopes = inside.split("::") if inside else []
        for k in range(len(scopes), -1, -1):
            places = [scopes[:k], *(self.symbol(b).split("::") for b in self._cpp_bases("::".join(scopes[:k]), file))]
            spelt = ["::".join([*place, bare]) for place in places]
            exact = [s for full in spelt for s in wanted.get(full, ())]
            if exact:
                return sorted(exact, key=lambda s: (s.file != file, self.kind(s) == "alias", s))[0]
        tail = sorted(s for found in wanted.values() for s in found if self.matches(s, bare))
        if len({self.symbol(s) for s in tail}) > 1:
            full = {f"{used}::{bare}" for used in self._used_namespaces(file)}
            tail = [s for s in tail if self.symbol(s) in full]
        return tail[0] if len({self.symbol(s) for s in tail}) == 1 else None

    @kept
    def _cpp_named(self, last: str) -> dict[str, list[Sym]]:
        """The C++ classes, enums and aliases of this last name: whole name → definitions, in file order."""
        out: dict[str, list[Sym]] = {}
        for s in self.defined(last):
            d = self.definition(s)
            if d is not None and d.kind in ("class", "enum", "alias") and not self.view(s.file).python:
                out.setdefault(self.symbol(s), []).append(s)
        return out

    @kept
    def _used_namespaces(self, file: int) -> frozenset[str]:
        """The namespaces that a C++ file uses as a whole (`using namespace x`), or its own header does."""
        imports = self.view(file).facts.imports
        stem = self.path(file).rpartition("/")[2].rpartition(".")[0]
        heads = {m for i in imports if i.name == "" and (m := i.module.rpartition("/")[2]).rpartition(".")[0] == stem}
        files = [file, *(n for n in range(self.size) if heads and self.path(n).rpartition("/")[2] in heads)]
        return frozenset(i.module for n in files for i in self.view(n).facts.imports if i.name == "*")


_running: set[tuple[int, object]] = set()


def _guarded(world: World, key: object, work: object) -> Sym | str | None:
    """Run `work()` unless it is already running for this key (import cycles end with None)."""
    mark = (id(world), key)
    if mark in _running:
        return None
    _running.add(mark)
    try:
        return work()  # type: ignore[operator,no-any-return]
    finally:
        _running.discard(mark)
