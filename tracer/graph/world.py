"""Who is who in the trees: classes and their members, hierarchies, what a name means where it is written.

No types here (`types.py`); files and definitions are `definitions.py`'s, names of C++ `cpp_scopes.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracer.graph.cpp_scopes import CppScopes
from tracer.graph.definitions import Definitions, Sym
from tracer.kept import Once, kept
from tracer.survey import Facts
from tracer.survey.facts import Import
from tracer.survey.store import last_part
from tracer.targets import Target

__all__ = ["Sym", "World"]


class World(Definitions, Once):
    """One or several trees, seen as one body of code."""

    def __init__(self, parts: Sequence[tuple[Facts, Target]]) -> None:
        super().__init__(parts)
        self._mro: dict[Sym, tuple[Sym, ...]] = {}
        self._members: set[tuple[int, str]] = set()  # names of modules that are being looked up
        scopes = CppScopes(self, self.mro)
        self.cpp_class, self.cpp_lookup = scopes.cls, scopes.lookup

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

    def class_around(self, file: int, scope: int) -> Sym | None:
        """The class that the code of `scope` belongs to: it lies in it, or is a method's body out of line."""
        for s in self.chain(file, scope):
            sym = Sym(file, s)
            if self.is_class(sym):
                return sym
            owner = self.owner(sym)
            if owner is not None:
                return owner
        return None

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
        key = (number, name)
        if key in self._members:  # modules that import from each other
            return None
        self._members.add(key)
        try:
            return self.lookup(number, -1, name)
        finally:
            self._members.discard(key)

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
