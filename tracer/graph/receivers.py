"""Which calls does a pattern such as `Class.method` mean, and which are on the state `Class.field`?

The receiver's type decides: a subclass counts, another class with a method of the same name does not.
"""

from __future__ import annotations

from tracer.graph.ownership import Ownership
from tracer.graph.places import Match, Places
from tracer.graph.records import Records
from tracer.graph.spellings import Spellings
from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

ELEMENT_METHODS = frozenset(
    {
        ".get",
        ".setdefault",
        ".pop",
        ".values",
        ".items",
        ".keys",
        ".find",
        ".at",
        ".second",
        ".first",
        ".begin",
        ".copy",
    }
)


class Receivers(Places):
    """Looks calls up by typed patterns."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.records = Records(self.types)
        self.ownership = Ownership(self.types)
        self.spellings = Spellings(world)

    @kept
    def called(self, pattern: str) -> tuple[Match, ...]:
        """Calls of `Class.method` (receiver the class or a subclass), of a function, or of an external dotted name."""
        pattern = pattern.replace("::", ".")
        owner, _, method = pattern.rpartition(".")
        classes = set(self.world.classes(owner)) if owner else set()
        wanted = set(self.world.functions(pattern)) if not classes else set()
        names = {method, *self.calls.aliases(method)}
        methods = (
            {s for c in classes for k in (c, *self.world.subclasses(c)) for s in self.world.methods(k, method)}
            if len(names) > 1
            else set()
        )
        out = []
        for number in sorted({n for spelt in names for n in self.world.files_with("c", spelt)}):
            for call in self.world.view(number).facts.calls:
                if not any(n in call.callee for n in names):
                    continue
                items = parts(call.callee)
                spelt = last_part(items[-1].lstrip(".").split("<", 1)[0]) if items else ""
                if spelt not in names:
                    continue
                if spelt != method:
                    if any(t.to in methods for t in self.calls.targets(number, call)):
                        out.append(Match(number, call.scope, call.line, call.last, "call", "typed", call=call))
                    continue
                basis = self._call(number, call, items, classes, wanted, pattern)
                if basis is not None:
                    out.append(Match(number, call.scope, call.line, call.last, "call", basis, call=call))
        return tuple(out)

    def _call(
        self, number: int, call: Call, items: tuple[str, ...], classes: set[Sym], wanted: set[Sym], pattern: str
    ) -> Basis | None:
        if classes:
            if len(items) == 1:  # C++ implicit this, or a class's own static method by bare name
                if "::" in items[0]:
                    return self._qualified(number, call, classes)
                cls = self.world.class_around(number, call.scope)
                if (
                    not self.world.view(number).python
                    and cls is not None
                    and any(self.world.is_a(cls, c) for c in classes)
                    and not self.ownership.is_local(number, call.scope, items[0])
                ):
                    return "typed"
                return None
            receivers = self.types.of(number, call.scope, join(items[:-1]))
            for r in receivers:
                if (
                    r.kind in ("obj", "cls")
                    and isinstance(r.ref, Sym)
                    and any(self.world.is_a(r.ref, c) for c in classes)
                ):
                    return "typed" if r.ref in classes else "inherited"
                if r.kind == "obj" and isinstance(r.ref, Sym) and self._left_to_subclass(r.ref, classes, items[-1][1:]):
                    return "inherited"
            if not receivers or all(r.kind == "ext" and "." not in str(r.ref) for r in receivers):
                for t in self.calls.targets(number, call):
                    if (
                        t.basis == "by_name"
                        and isinstance(t.to, Sym)
                        and (o := self.world.owner(t.to))
                        and any(self.world.is_a(o, c) for c in classes)
                    ):
                        return "by_name"
                if not receivers:
                    owners = self._method_owners(items[-1][1:], python=self.world.view(number).python)
                    if any(self.world.is_a(o, c) for o in owners for c in classes) and self.ownership.fits(
                        number, call.scope, items[:-1], owners, classes
                    ):
                        return "by_name"
            return None
        targets = self.calls.targets(number, call)
        for t in targets:
            if isinstance(t.to, Sym):
                if t.to in wanted:
                    return t.basis
            elif t.to == pattern or t.to.endswith("." + pattern):
                return "exact"
        return "exact" if not targets and self._extension(number, call, items).endswith("." + pattern) else None

    def _qualified(self, number: int, call: Call, classes: set[Sym]) -> Basis | None:
        """C++ `Class::method(…)`: by the class whose method it is."""
        for t in self.calls.targets(number, call):
            owner = self.world.owner(t.to) if isinstance(t.to, Sym) else None
            if owner is not None and any(self.world.is_a(owner, c) for c in classes):
                return t.basis
        return None

    def _left_to_subclass(self, base: Sym, classes: set[Sym], method: str) -> bool:
        """Whether an object known as `base`, which has no such method, can only have it as one of `classes`."""
        return any(self.world.is_a(c, base) for c in classes) and not any(
            self.world.methods(k, method) for k in self.world.mro(base)
        )

    def _extension(self, number: int, call: Call, items: tuple[str, ...]) -> str:
        """The dotted name of a function in an imported module that stands in no file: an engine's native extension."""
        module = self.world.lookup(number, call.scope, items[0]) if len(items) > 1 else None
        return "." + join((module, *items[1:])) if isinstance(module, str) else ""

    def _method_owners(self, method: str, *, python: bool) -> list[Sym]:
        """Classes of live code that define `method`."""
        found = (
            self.world.owner(s)
            for s in self.world.defined(method)
            if self.world.view(s.file).python == python and not self.world.context(s.file)
        )
        return list(dict.fromkeys(o for o in found if o is not None))

    @kept
    def called_on(self, method: str, state: str) -> tuple[Match, ...]:
        """Calls of `method` whose receiver is the state `Class.field` itself or an element of it."""
        owners, field = self.owners(state)
        family = set(owners)
        out = []
        for number in self.world.files_with("c", method):
            for call in self.world.view(number).facts.calls:
                if method not in call.callee:
                    continue
                items = parts(call.callee)
                if len(items) < 1 or items[-1].lstrip(".").split("<", 1)[0] != method:
                    continue
                basis = self._on(number, call, join(items[:-1]), field, family)
                if basis is not None:
                    out.append(Match(number, call.scope, call.line, call.last, "call", basis, call=call))
        return tuple(out)

    def received_by(self, number: int, call: Call, state: str) -> bool:
        """Whether the receiver of `call` is the state `Class.field` or an element of it."""
        owners, field = self.owners(state)
        return self._on(number, call, join(parts(call.callee)[:-1]), field, set(owners)) is not None

    def _on(self, number: int, call: Call, receiver: str, field: str, family: set[Sym]) -> Basis | None:
        for path in self.spellings.of(number, call.scope, receiver, field):
            items = parts(path)
            for k, item in enumerate(items):
                if (item[1:] if item[0] == "." else item) != field or any(
                    r[0] == "." and r not in ELEMENT_METHODS for r in items[k + 1 :]
                ):
                    continue
                basis = self.ownership.of(number, call.scope, items, k, family, -1)
                if basis is not None:
                    return basis
        if receiver.isidentifier():
            held = self.records.fields_of(number, call.scope, receiver)
            return "typed" if any(name == field and cls in family for cls, name in held) else None
        return None
