"""Whether a part of an access path is a field of these classes, and how sure that is: by type, else by name."""

from __future__ import annotations

from tracer.graph.annotations import Type
from tracer.graph.narrowing import Narrowing
from tracer.graph.types import Types
from tracer.graph.world import Sym
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.paths import join, parts


class Ownership:
    """Judges receivers by the types that they can have."""

    def __init__(self, types: Types) -> None:
        self.types, self.world = types, types.world
        self.narrowing = Narrowing(types)

    def of(
        self, number: int, scope: int, items: tuple[str, ...], k: int, family: set[Sym], module: int
    ) -> Basis | None:
        """How sure it is that `items[k]` is a field of the family (or a variable of the module); None if it is not."""
        if module >= 0:
            if k == 0:
                if number == module:
                    return "exact" if not self.is_local(number, scope, items[0]) else None
                found = self.world.lookup(number, scope, items[0])
                owner, _, last = found.rpartition(".") if isinstance(found, str) else ("", "", "")
                return "exact" if self.world.modules.get(owner) == module and last == items[0] else None
            before = self.types.of(number, scope, join(items[:k]))
            return (
                "exact"
                if any(t.kind == "mod" and isinstance(t.ref, Sym) and t.ref.file == module for t in before)
                else None
            )
        if k == 0:
            return self._own_root(number, scope, items[0], family)
        before = self.types.of(number, scope, join(items[:k]))
        before = self.narrowing.of(number, scope, join(items[:k]), items[k][1:], before) or before
        known = [t for t in before if t.kind in ("obj", "cls") and isinstance(t.ref, Sym)]
        if known:
            for t in known:
                kind = self._related(t, family, items[k][1:])
                if kind:
                    return kind
            return None
        if any(t.kind in ("mod", "fn") for t in before):
            return None
        return self._by_name(number, scope, items, k, family)

    def _own_root(self, number: int, scope: int, name: str, family: set[Sym]) -> Basis | None:
        """A bare name as a member: C++ implicit `this`, or a name in a class body."""
        view = self.world.view(number)
        if "::" in name:
            owner = self.world.cpp_lookup(name.rsplit("::", 1)[0], number, "")
            return "typed" if owner in family else None
        for s in self.world.chain(number, scope):
            sym = Sym(number, s)
            if self.world.is_class(sym):
                return "exact" if sym in family else None
            if view.python:
                return None
            if self.is_local(number, s, name):
                return None
            owner = self.world.owner(sym)
            if owner is not None:
                return self._related(Type("obj", owner), family, name)
        return None

    def _related(self, t: Type, family: set[Sym], field: str) -> Basis | None:
        assert isinstance(t.ref, Sym)
        mro = self.world.mro(t.ref)
        if t.ref in family:
            return "typed"
        for c in mro[1:]:
            if c in family:
                return "inherited"
        # a base-typed receiver whose field only the named subclass has (mixins, abstract holders)
        if any(self.world.is_a(c, t.ref) for c in family) and not any(
            (c.index, field) in self.world.view(c.file).fields for c in mro
        ):
            return "inherited"
        for c in mro:  # a C++ accessor stands for what it points to
            for m in self.world.methods(c, "operator->")[:1]:
                pointed = [r for r in self.types.result(Type("fn", m)) if r.kind == "obj" and isinstance(r.ref, Sym)]
                return next((k for r in pointed if r.ref != t.ref and (k := self._related(r, family, field))), None)
        return None

    def _by_name(self, number: int, scope: int, items: tuple[str, ...], k: int, family: set[Sym]) -> Basis | None:
        """An unknown receiver: accepted if only the family can be meant, by the names used on it."""
        field = items[k][1:]
        candidates = [
            c for c in self.declaring(field) if self.world.view(c.file).python == self.world.view(number).python
        ]
        if not any(c in family or any(self.world.is_a(c, f) for f in family) for c in candidates):
            return None
        return "by_name" if self.fits(number, scope, items[:k], candidates, family) else None

    def fits(self, number: int, scope: int, receiver: tuple[str, ...], candidates: list[Sym], family: set[Sym]) -> bool:
        """Whether all candidates that the receiver's spelling allows belong to the family.

        They must have every attribute that the function uses on the receiver; one spelt like it (`memory_obj`) wins.
        """
        names = self._names_on(number, scope, receiver[0]) if len(receiver) == 1 else frozenset()
        fitting = [c for c in candidates if self._has_all(c, names)] or candidates
        said = _plain(next((r for r in reversed(receiver) if r[0] not in "[("), ""))
        called = [c for c in fitting if (own := _plain(self.world.name(c))) and said in (own, own + "s")]
        fitting = called or fitting
        return (
            bool(fitting)
            and (bool(called) or len(names) > 1 or len(fitting) <= 3)
            and all(any(self.world.is_a(c, f) or self.world.is_a(f, c) for f in family) for c in fitting)
        )

    @kept
    def declaring(self, field: str) -> tuple[Sym, ...]:
        """Classes of live code that declare a field of this name."""
        out = []
        for number in self.world.files_with("f", field):
            if self.world.context(number):
                continue
            for owner, name in self.world.view(number).fields:
                if name == field and owner >= 0:
                    out.append(Sym(number, owner))
        return tuple(out)

    def _names_on(self, number: int, scope: int, root: str) -> frozenset[str]:
        """All attributes that the function uses on the local `root`."""
        view = self.world.view(number)
        out = set()
        for a in view.accesses.get(scope, ()):
            items = parts(a.target)
            if len(items) > 1 and items[0] == root and items[1][0] == ".":
                out.add(items[1][1:])
        for c in view.calls.get(scope, ()):
            items = parts(c.callee)
            if len(items) > 1 and items[0] == root and items[1][0] == ".":
                out.add(items[1][1:])
        return frozenset(out)

    def _has_all(self, cls: Sym, names: frozenset[str]) -> bool:
        return all(self._has(cls, n) for n in names)

    def _has(self, cls: Sym, name: str) -> bool:
        for c in self.world.mro(cls):
            view = self.world.view(c.file)
            if (c.index, name) in view.fields or self.world.methods(c, name):
                return True
        return False

    def is_local(self, number: int, scope: int, name: str) -> bool:
        """Whether `name` is a local or parameter of a function around `scope`."""
        view = self.world.view(number)
        for s in self.world.chain(number, scope):
            d = view.facts.definitions[s]
            if d.kind == "function" and ((s, name) in view.binds or any(p.name == name for p in d.params)):
                return True
        return False


def _plain(name: str) -> str:
    """A name without case, underscores and the dot of an attribute, to compare `memory_obj` with `MemoryObj`."""
    return name.lstrip("._").rstrip("_").replace("_", "").lower()
