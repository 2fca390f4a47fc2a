"""State by type: which accesses, calls and definitions does a pattern such as `Class.field` mean?

Takes a world with types; gives matches with their basis. A receiver that is a subclass counts, another class with
a field of the same name does not; aliases through locals are followed. Patterns are names or dotted tails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracer.graph.annotations import Type
from tracer.graph.narrowing import Narrowing
from tracer.graph.places import Match, Places
from tracer.graph.records import Records
from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Access, Call
from tracer.survey.ops import INSERT, REMOVE
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

ALIAS_DEPTH = 3
CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "__cinit__", "__attrs_post_init__"})
_READERS = frozenset(
    {
        "items",
        "values",
        "keys",
        "get",
        "copy",
        "find",
        "count",
        "contains",
        "at",
        "begin",
        "cbegin",
        "load",
        "empty",
        "size",
        "front",
        "top",
    }
)
_EMPTY = re.compile(r"[\w.:]+\(\s*\)")
_ELEMENT_METHODS = frozenset(
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


class Uses(Places):
    """Looks facts up by typed patterns."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._states: dict[str, tuple[Match, ...]] = {}
        self.records = Records(self.types)
        self.narrowing = Narrowing(self.types)

    # -- state ---------------------------------------------------------------------
    def state(self, pattern: str) -> tuple[Match, ...]:
        """Every access to the state `Class.field` or `module.variable`, all ops, by file and line."""
        found = self._states.get(pattern)
        if found is None:
            found = self._states[pattern] = tuple(self._state(pattern.replace("::", ".")))
        return found

    def _state(self, pattern: str) -> Iterator[Match]:
        owners, field = self.owners(pattern)
        module = self.world.modules.get(pattern.rpartition(".")[0], -1) if not owners else -1
        if not owners and module < 0:
            tail = pattern.rpartition(".")[0]
            hits = [n for m, n in self.world.modules.items() if tail and (m == tail or m.endswith("." + tail))]
            if len(hits) != 1:
                return
            module = hits[0]
        family = set(owners)
        for number in self.world.files_with("u", field):
            view = self.world.view(number)
            aliases = {(b.scope, b.name) for b in view.facts.binds if field in b.value}
            locals_ = {name for _, name in aliases}
            for a in view.facts.accesses:
                if field not in a.target and not (locals_ and self._aliased(number, a, aliases, locals_)):
                    continue
                for path in self._spellings(number, a.scope, a.target, field):
                    hit = self._access(number, a, path, field, family, module)
                    if hit is not None:
                        yield hit
                        break
            for (
                call
            ) in view.facts.calls:  # `d.items()`, `m.find(k)`: reads of the container, not calls of the engine's own
                if field in call.callee and reads(call):
                    items = parts(call.callee)[:-1]
                    at = [
                        k
                        for k, i in enumerate(items)
                        if i.lstrip(".") == field and not any(r[0] == "." for r in items[k + 1 :])
                    ]
                    basis = self._owned(number, call.scope, items, at[0], family, module) if at else None
                    if basis is not None:
                        yield Match(number, call.scope, call.line, call.last, "read", basis, call=call)

    def _aliased(self, number: int, a: Access, aliases: set[tuple[int, str]], names: set[str]) -> bool:
        """Whether the access starts at one of `aliases`: (scope, local) bound to something that mentions the field."""
        root = next(iter(parts(a.target)), "")
        return root in names and any((s, root) in aliases for s in self.world.chain(number, a.scope))

    def spelt_out(self, number: int, scope: int, path: str) -> tuple[str, ...]:
        """`path`, and what it is when local names are written out (`x.done` → `self.api.poll().done`)."""
        out = [path]
        for _ in range(ALIAS_DEPTH):
            items = parts(out[-1])
            binds = self.world.view(number).binds.get((scope, items[0]), ()) if items else ()
            more = [b.value + join(items[1:]) for b in binds if b.value and b.value not in ("?", out[-1])]
            if not more or more[0] in out:
                break
            out += more
        return tuple(dict.fromkeys(out))

    def _spellings(self, number: int, scope: int, path: str, field: str, depth: int = 0) -> Iterator[str]:
        """The path as written, then with local aliases written out."""
        yield path
        items = parts(path)
        if not items or depth >= ALIAS_DEPTH or items[0] in ("self", "this"):
            return
        for s in self.world.chain(number, scope):
            binds = self.world.view(number).binds.get((s, items[0]), ())
            for b in binds:
                if (b.value and b.value != path and field in b.value) or (
                    depth + 1 < ALIAS_DEPTH and b.value and "." in b.value
                ):
                    yield from self._spellings(number, s, b.value + join(items[1:]), field, depth + 1)
            if binds:
                return

    def _access(self, number: int, a: Access, path: str, field: str, family: set[Sym], module: int) -> Match | None:
        items = parts(path)
        for k, item in enumerate(items):
            name = item[1:] if item[0] == "." else item.rsplit("::", 1)[-1] if k == 0 else ""
            if name != field:
                continue
            basis = self._owned(number, a.scope, items, k, family, module)
            if basis is None:
                continue
            op = self._op(number, a, items, k)
            return Match(number, a.scope, a.line, a.last, op, basis, access=a)
        return None

    def _op(self, number: int, a: Access, items: tuple[str, ...], k: int) -> str:
        """What the access does to the field at `items[k]`: its own op on the field or on its elements, else a read.

        `init` is a plain write or an empty container in the owner's own constructor: the state is born, not changed.
        """
        rest = items[k + 1 :]
        if not rest:
            if a.op in ("write", "clear") and self.in_construction(number, a.scope, a.target):
                return "init"
            if a.op == "write" and _EMPTY.fullmatch(a.text) and self._is_container(number, a):
                return "clear"  # a container of the engine's own is made anew
            return a.op
        if a.op == "read":
            return a.op
        if any(r[0] == "." and r not in _ELEMENT_METHODS for r in rest):
            return "read"
        if rest[-1][0] == "." and rest[-1] in (".second", ".first"):
            return a.op if a.op != "write" else "insert"
        element = self.types.of(number, a.scope, join(items))
        if any(t.kind == "obj" for t in element) and a.op in ("insert", "remove", "clear"):
            return "read"  # a method of the element's own class, not of the container
        return a.op

    def _is_container(self, number: int, a: Access) -> bool:
        """Whether the value written is an instance of an engine's class that one can put into and take from."""
        for t in self.types.of(number, a.scope, a.value):
            if t.kind == "obj" and isinstance(t.ref, Sym):
                names = {n for c in self.world.mro(t.ref) for n in self.world.method_names(c)}
                if names & INSERT and names & REMOVE:
                    return True
        return False

    def in_construction(self, number: int, scope: int, target: str) -> bool:
        """Whether `target`, written in `scope`, is a field of the object that this constructor makes."""
        d = self.world.view(number).definition(self.world.function_of(number, scope))
        if d is None:
            return False
        if self.world.view(number).python:
            if not target.startswith("self.") or target.count(".") != 1:
                return False
            return last_part(d.name) in CONSTRUCTORS or self._part_of_construction(number, scope)
        bits = d.name.split("::")
        return len(bits) > 1 and bits[-1] == bits[-2] and len(parts(target.removeprefix("this."))) == 1

    @kept
    def _part_of_construction(self, number: int, scope: int) -> bool:
        """Whether only constructors of its own class call the method around `scope`: `self._init_state()`."""
        function = Sym(number, self.world.function_of(number, scope))
        owner = self.world.owner(function)
        if owner is None or "init" not in self.world.name(function):
            return False
        sites = self.calls.callers(function)
        around = [Sym(s.file, self.world.function_of(s.file, s.call.scope)) for s in sites]
        return bool(around) and all(
            self.world.name(a) in CONSTRUCTORS and (o := self.world.owner(a)) is not None and self.world.is_a(o, owner)
            for a in around
        )

    def _owned(
        self, number: int, scope: int, items: tuple[str, ...], k: int, family: set[Sym], module: int
    ) -> Basis | None:
        """How sure it is that `items[k]` is a field of the family (or a variable of the module); None if it is not."""
        if module >= 0:
            if k == 0:
                if number == module:
                    return "exact" if not self._is_local(number, scope, items[0]) else None
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

    def _is_local(self, number: int, scope: int, name: str) -> bool:
        view = self.world.view(number)
        for s in self.world.chain(number, scope):
            d = view.facts.definitions[s]
            if d.kind == "function" and ((s, name) in view.binds or any(p.name == name for p in d.params)):
                return True
        return False

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
            if self._is_local(number, s, name):
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
        return "by_name" if self._fit(number, scope, items[:k], candidates, family) else None

    def _fit(self, number: int, scope: int, receiver: tuple[str, ...], candidates: list[Sym], family: set[Sym]) -> bool:
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

    # -- calls ---------------------------------------------------------------------
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
                cls = self.types._class_around(number, call.scope)
                if (
                    not self.world.view(number).python
                    and cls is not None
                    and any(self.world.is_a(cls, c) for c in classes)
                    and not self._is_local(number, call.scope, items[0])
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
                    if any(self.world.is_a(o, c) for o in owners for c in classes) and self._fit(
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
        for path in self._spellings(number, call.scope, receiver, field):
            items = parts(path)
            for k, item in enumerate(items):
                if (item[1:] if item[0] == "." else item) != field or any(
                    r[0] == "." and r not in _ELEMENT_METHODS for r in items[k + 1 :]
                ):
                    continue
                basis = self._owned(number, call.scope, items, k, family, -1)
                if basis is not None:
                    return basis
        if receiver.isidentifier():
            held = self.records.fields_of(number, call.scope, receiver)
            return "typed" if any(name == field and cls in family for cls, name in held) else None
        return None


def reads(call: Call) -> bool:
    """Whether a call asks a container without changing it (`d.items()`, `m.find(k)`)."""
    return call.callee.rpartition(".")[2] in _READERS


def _plain(name: str) -> str:
    """A name without case, underscores and the dot of an attribute, to compare `memory_obj` with `MemoryObj`."""
    return name.lstrip("._").rstrip("_").replace("_", "").lower()
