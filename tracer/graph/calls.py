"""Calls → the definitions they may reach, with how sure that is. The one place where a callee is resolved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracer.graph.annotations import Type
from tracer.graph.protocols import Protocols
from tracer.graph.types import Types
from tracer.graph.world import Sym, World
from tracer.kept import kept
from tracer.model import Basis
from tracer.survey.facts import Call
from tracer.survey.paths import join, parts
from tracer.survey.store import last_part

_FACTORIES = frozenset({"make_shared", "make_unique", "make_optional"})
FAN_OUT = 64  # overrides followed from one virtual call


class Target(NamedTuple):
    """A definition (or the dotted name of something external) that a call may reach."""

    to: Sym | str
    basis: Basis


class CallSite(NamedTuple):
    """A call and where it stands."""

    file: int
    call: Call
    basis: Basis


class Calls:
    """Resolves calls in a world."""

    def __init__(self, world: World, types: Types) -> None:
        self.world, self.types = world, types
        self.protocols = Protocols(world)
        self._memo: dict[tuple[int, int, str], tuple[Target, ...]] = {}
        self._fitting: dict[tuple[int, int, str, int], tuple[Target, ...]] = {}

    def targets(self, file: int, call: Call) -> tuple[Target, ...]:
        """What `call` may reach; () where it does not resolve."""
        found = self.callees(file, call.scope, call.callee)
        if len(call.args) == 1 and found and self._binds(file, call):
            return ()
        if len(found) < 2 or self.world.view(file).python:
            return found
        key = (file, call.scope, call.callee, len(call.args))
        fitting = self._fitting.get(key)
        if fitting is None:
            fitting = self._fitting[key] = self._by_arity(found, len(call.args))
        return fitting

    def _by_arity(self, found: tuple[Target, ...], count: int) -> tuple[Target, ...]:
        """Of C++ overloads, those that take so many arguments (all, if none does)."""
        groups: dict[str, list[Target]] = {}
        for t in found:
            if isinstance(t.to, Sym) and not self.world.view(t.to.file).python:
                groups.setdefault(self.world.symbol(t.to), []).append(t)
        dropped: set[Target] = set()
        for group in groups.values():
            fitting = [t for t in group if self._takes(t.to, count)]  # type: ignore[arg-type]
            if fitting:
                dropped |= set(group) - set(fitting)
        return tuple(t for t in found if t not in dropped)

    def _takes(self, function: Sym, count: int) -> bool:
        d = self.world.definition(function)
        if d is None:
            return False
        return sum(1 for p in d.params if not p.default and not p.kind) <= count <= len(d.params) or any(
            p.kind for p in d.params
        )

    def callees(self, file: int, scope: int, callee: str) -> tuple[Target, ...]:
        """What calling the access path `callee` may reach."""
        key = (file, scope, callee)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._callees(file, scope, callee)
        return found

    def _callees(self, file: int, scope: int, callee: str) -> tuple[Target, ...]:
        items = parts(callee)
        if not items:
            return ()
        out: dict[Sym | str, Basis] = {}
        method = items[-1][1:].split("<", 1)[0] if items[-1][0] == "." else ""
        if method:
            receivers = self.types.of(file, scope, join(items[:-1]))
            for r in receivers:
                virtual = r.kind == "obj" and items[0] != "super()"
                for to, basis in self.method(r, method, virtual):
                    out.setdefault(to, basis)
            if not out and not receivers:
                for sym in self._only(method, self.world.view(file).python):
                    out.setdefault(sym, "by_name")
        else:
            for t in self.types.of(file, scope, callee):
                for to, basis in self._called(t):
                    out.setdefault(to, basis)
            if not self.world.view(file).python:
                for to in self._constructed(file, scope, callee):
                    out.setdefault(to, "exact")
                for sub in self._overridden([to for to in out if isinstance(to, Sym)], callee):
                    out.setdefault(sub, "inherited")
        return tuple(Target(k, v) for k, v in out.items())

    def _constructed(self, file: int, scope: int, callee: str) -> Iterator[Sym]:
        """C++ constructors that no call names: of `make_shared<T>(…)`, and of a member in an initialiser `m_(…)`."""
        made = last_part(callee.partition("<")[0]) in _FACTORIES
        if not made and not self._initialises(file, scope, callee):
            return
        for t in self.types.of(file, scope, callee):
            inner = [i for union in t.args[:1] for i in union] if made and t.kind == "ext" else [] if made else [t]
            for i in inner:
                if i.kind == "obj" and isinstance(i.ref, Sym):
                    own = self.world.methods(i.ref, self.world.name(i.ref))
                    yield from [m for m in own if self.world.kind(m) == "function"] or own or (i.ref,)

    def _binds(self, file: int, call: Call) -> bool:
        """Whether a member's initialiser is given an object of the member's own type: a reference or a copy."""
        if self.world.view(file).python or not self._initialises(file, call.scope, call.callee):
            return False
        given = {t.ref for t in self.types.of(file, call.scope, call.args[0].path) if t.kind == "obj"}
        return any(t.ref in given for t in self.types.of(file, call.scope, call.callee) if t.kind == "obj")

    def _initialises(self, file: int, scope: int, name: str) -> bool:
        """Whether calling `name` here is the initialiser of a member that is an object, no pointer or reference."""
        if scope < 0 or not name.isidentifier():
            return False
        view = self.world.view(file)
        outer = view.facts.definitions[scope].name.rsplit("::", 2)
        if len(outer) < 2 or outer[-1] != outer[-2]:
            return False
        owner = self.world.owner(Sym(file, scope))
        fields = self.world.view(owner.file).fields.get((owner.index, name), ()) if owner is not None else ()
        return bool(fields) and not any("*" in f.annotation or "&" in f.annotation for f in fields)

    def _overridden(self, found: Sequence[Sym], name: str) -> Iterator[Sym]:
        """C++ methods called by their bare name may be virtual: their overrides in subclasses."""
        for method in found:
            owner = self.world.owner(method)
            for sub in self.world.subclasses(owner)[:FAN_OUT] if owner and self.world.name(owner) != name else ():
                yield from (m for m in self.world.methods(sub, name) if self.world.kind(m) == "function")

    def _called(self, t: Type) -> Iterator[tuple[Sym | str, Basis]]:
        if t.kind == "fn" and isinstance(t.ref, Sym):
            yield t.ref, "exact"
        elif t.kind == "cls" and isinstance(t.ref, Sym):
            yield self.constructor(t.ref), "exact"
        elif t.kind == "obj" and isinstance(t.ref, Sym):
            for cls in self.world.mro(t.ref):
                for m in self.world.methods(cls, "__call__")[:1]:
                    yield m, "typed"
                    return
        elif t.kind == "extc":
            yield str(t.ref), "exact"

    def constructor(self, cls: Sym) -> Sym:
        """The method that runs when `cls` is instantiated, or the class itself where there is none."""
        name = "__init__" if self.world.view(cls.file).python else self.world.name(cls)
        for c in self.world.mro(cls):
            found = self.world.methods(c, name)
            if found:
                return found[0]
        return cls

    def method(self, receiver: Type, method: str, virtual: bool) -> Iterator[tuple[Sym | str, Basis]]:
        """What `receiver.method` may be, with its basis; `virtual` also gives the overrides of subclasses."""
        if receiver.kind not in ("obj", "cls") or not isinstance(receiver.ref, Sym):
            for t in self.types.attribute(receiver, method):
                yield from self._called(t)
            return
        found = False
        for cls in self.world.mro(receiver.ref):
            own = self.world.methods(cls, method)
            if own:
                bodies = [m for m in own if self.world.kind(m) == "function"] or list(own)
                for m in bodies:
                    yield m, "typed"
                found = True
                break
        if not found:
            for t in self.types.attribute(receiver, method):  # a field that holds something callable, an inner class
                for to, _ in self._called(t):
                    found = True
                    yield to, "typed"
        if virtual:
            for sub in self.world.subclasses(receiver.ref)[:FAN_OUT]:
                for m in self.world.methods(sub, method):
                    if self.world.kind(m) == "function":
                        yield m, "inherited"
            for keeper in self.protocols.kept_by(receiver.ref)[:FAN_OUT]:
                first = next((m for c in self.world.mro(keeper) for m in self.world.methods(c, method)), None)
                if first is not None and self.world.kind(first) == "function":
                    yield first, "inherited"

    @kept
    def _only(self, method: str, python: bool) -> tuple[Sym, ...]:
        """The definitions of a method whose receiver is unknown, if one class family alone has such a name."""
        if method in COMMON:
            return ()
        found = [
            s
            for s in self.world.defined(method)
            if self.world.view(s.file).python == python
            and (d := self.world.definition(s))
            and d.kind == "function"
            and not self.world.context(s.file)
        ]
        owners = {self.world.owner(s) for s in found}
        if not found or None in owners:
            return ()
        roots = {self.world.mro(o)[-1] for o in owners if o}
        return tuple(found[:FAN_OUT]) if len(roots) == 1 else ()

    # -- backwards -----------------------------------------------------------------
    @kept
    def callers(self, sym: Sym) -> tuple[CallSite, ...]:
        """All call sites that may reach `sym`, by file and line."""
        d = self.world.definition(sym)
        if d is None:
            return ()
        name = last_part(d.name)
        owner = self.world.owner(sym)
        if name == "__init__" and owner is not None:
            name = self.world.name(owner)
        same = {sym} | self._declarations(sym)
        names = {name, *self.aliases(name)}
        out = []
        for number in sorted({n for spelt in names for n in self.world.files_with("c", spelt)}):
            called = self.world.view(number).called
            for call in (c for n in sorted(names) for c in called.get(n, ())):
                for t in self.targets(number, call):
                    if t.to in same:
                        out.append(CallSite(number, call, t.basis))
                        break
        return tuple(sorted(out, key=lambda c: (self.world.path(c.file), c.call.line)))

    @kept
    def aliases(self, method: str) -> tuple[str, ...]:
        """Fields that hold a method of this name (`self.finish = self.close`): other names it is called by."""
        out = set()
        for number in self.world.files_with("u", method):
            for f in self.world.view(number).facts.fields:
                items = parts(f.value) if f.value.endswith(method) else ()
                if items and items[-1].lstrip(".") == method and f.name != method:
                    out.add(f.name)
        return tuple(sorted(out))

    def _declarations(self, sym: Sym) -> set[Sym]:
        """A C++ function's other spellings: its declaration in the class, its out-of-line body."""
        if self.world.view(sym.file).python:
            return set()
        d = self.world.definition(sym)
        return (
            {s for s in self.world.defined(last_part(d.name)) if self.world.symbol(s) == self.world.symbol(sym)}
            if d
            else set()
        )


# Method names so common on library objects that a lone definition in the tree says nothing about an unknown receiver.
COMMON = frozenset(
    {
        "append",
        "add",
        "get",
        "pop",
        "put",
        "update",
        "items",
        "keys",
        "values",
        "remove",
        "clear",
        "copy",
        "close",
        "join",
        "start",
        "stop",
        "run",
        "wait",
        "set",
        "send",
        "recv",
        "read",
        "write",
        "open",
        "format",
        "split",
        "strip",
        "encode",
        "decode",
        "extend",
        "insert",
        "index",
        "count",
        "sort",
        "reverse",
        "to",
        "view",
        "reshape",
        "item",
        "size",
        "shape",
        "result",
        "done",
        "cancel",
        "submit",
        "acquire",
        "release",
        "lock",
        "unlock",
        "push",
        "front",
        "back",
        "begin",
        "end",
        "find",
        "erase",
        "emplace",
        "load",
        "store",
        "reset",
        "data",
        "register",
        "query",
        "record",
        "synchronize",
        "info",
        "debug",
        "warning",
        "error",
        "exception",
        "discard",
        "setdefault",
        "popleft",
    }
)
