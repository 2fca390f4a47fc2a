"""What a C++ name means where it is written: namespaces outwards, base classes, `using namespace`."""

from __future__ import annotations

from collections.abc import Callable

from tracer.graph.definitions import Definitions, Sym
from tracer.kept import kept
from tracer.survey.store import last_part


class CppScopes:
    """Looks classes, enums and aliases up by their name as spelt; `mro` gives a class and its ancestors."""

    def __init__(self, world: Definitions, mro: Callable[[Sym], tuple[Sym, ...]]) -> None:
        self.world, self.mro = world, mro
        self._looked: set[str] = set()  # classes whose bases are being looked up

    @kept
    def cls(self, name: str, near: int) -> Sym | None:
        """The C++ class of this qualified name, in file `near` first."""
        named = self.world.defined(last_part(name))
        found = [s for s in named if self.world.is_class(s) and not self.world.view(s.file).python]
        exact = [s for s in found if self.world.symbol(s) == name] or [s for s in found if self.world.matches(s, name)]
        here = [s for s in exact if s.file == near]
        return next(iter(here or exact), None)

    @kept
    def _bases(self, name: str, file: int) -> tuple[Sym, ...]:
        """The bases of the class called exactly `name`: their member types are seen in it."""
        if not name or name in self._looked:
            return ()
        self._looked.add(name)
        try:
            cls = self.cls(name, file)
            return self.mro(cls)[1:] if cls is not None and self.world.symbol(cls) == name else ()
        finally:
            self._looked.discard(name)

    @kept
    def lookup(self, name: str, file: int, inside: str) -> Sym | None:
        """The C++ class or alias called `name` as seen from qualified name `inside`: innermost namespace first."""
        wanted = self._named(last_part(name))
        if not wanted:
            return None
        bare = name.removeprefix("::")
        scopes = inside.split("::") if inside else []
        for k in range(len(scopes), -1, -1):
            places = [scopes[:k], *(self.world.symbol(b).split("::") for b in self._bases("::".join(scopes[:k]), file))]
            spelt = ["::".join([*place, bare]) for place in places]
            exact = [s for full in spelt for s in wanted.get(full, ())]
            if exact:
                return sorted(exact, key=lambda s: (s.file != file, self.world.kind(s) == "alias", s))[0]
        tail = sorted(s for found in wanted.values() for s in found if self.world.matches(s, bare))
        if len({self.world.symbol(s) for s in tail}) > 1:
            full = {f"{used}::{bare}" for used in self._used_namespaces(file)}
            tail = [s for s in tail if self.world.symbol(s) in full]
        return tail[0] if len({self.world.symbol(s) for s in tail}) == 1 else None

    @kept
    def _named(self, last: str) -> dict[str, list[Sym]]:
        """The C++ classes, enums and aliases of this last name: whole name → definitions, in file order."""
        out: dict[str, list[Sym]] = {}
        for s in self.world.defined(last):
            d = self.world.definition(s)
            if d is not None and d.kind in ("class", "enum", "alias") and not self.world.view(s.file).python:
                out.setdefault(self.world.symbol(s), []).append(s)
        return out

    @kept
    def _used_namespaces(self, file: int) -> frozenset[str]:
        """The namespaces that a C++ file uses as a whole (`using namespace x`), or its own header does."""
        imports = self.world.view(file).facts.imports
        stem = self.world.path(file).rpartition("/")[2].rpartition(".")[0]
        heads = {m for i in imports if i.name == "" and (m := i.module.rpartition("/")[2]).rpartition(".")[0] == stem}
        files = [file, *(n for n in range(self.world.size) if heads and self.world.path(n).rpartition("/")[2] in heads)]
        return frozenset(i.module for n in files for i in self.world.view(n).facts.imports if i.name == "*")
