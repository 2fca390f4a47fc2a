"""Classes: bodies, method resolution order, instances."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from tracer.graph.values.domain import (
    MAYBE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Bound,
    Builtin,
    Const,
    Descriptor,
    External,
    Frame,
    Function,
    Instance,
    Klass,
    Marker,
    Partial,
    Value,
    Values,
    constant,
    one,
    ordered,
)
from tracer.graph.values.machine import Machine

CONTAINERS = {"list", "tuple", "dict", "set", "frozenset"}
ENUMS = {"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"}


class Classes(Machine):
    """`make_class`, `instantiate`, `find`, `special`."""

    def make_class(self, node: ast.ClassDef, frame: Frame) -> Klass:
        """Run a class statement."""
        key = ("class", node, frame, frame.iteration)
        klass = self.value(key, lambda: Klass(f"{frame.scope}.{node.name}", node, frame))
        self.klasses[klass] = None
        bases: list[Value] = []
        for base in node.bases:
            plain = base.value if isinstance(base, ast.Subscript) else base
            bases.extend(ordered(v for v in self.evaluate(plain, frame) if isinstance(v, Klass | External | Builtin)))
        for keyword in node.keywords:
            for value in ordered(self.evaluate(keyword.value, frame)):
                if keyword.arg == "metaclass" and isinstance(value, Klass):
                    klass.metaclass = value
        klass.mro = linear(klass, bases)
        above = [k for k in klass.mro[1:] if isinstance(k, Klass)]
        klass.metaclass = klass.metaclass or next((k.metaclass for k in above if k.metaclass), None)
        names = {k.name for k in klass.mro if isinstance(k, External)}
        klass.is_enum = bool(names & ENUMS)
        klass.is_data = any(k.is_data for k in above) or "typing.NamedTuple" in names
        body = self.value(("body", key), lambda: Frame("class", klass.name, klass.name, frame))
        body.klass, body.iteration = klass, frame.iteration
        klass.annotated.clear()
        self.execute(node.body, body)
        for name, values in body.fields.items():
            if klass.is_enum and values and not any(isinstance(v, Function | Descriptor) for v in values):
                member = self.instance(klass, ("member", name), body)
                member.many = False
                self.store.write(member, "value", values)
                self.store.write(member, "name", constant(name))
                values = one(member)
            self.store.write(klass, name, values)
            for value in ordered(values or NOTHING):
                self.call(self.special(value, "__set_name__"), Arguments([one(klass), constant(name)]), node, frame)
        above_all = klass.metaclass
        for name in ("__new__", "__init__") if above_all is not None else ():
            for function in ordered(self.find(above_all or klass, name)):  # what makes the class is a call too
                if isinstance(function, Function):
                    first = above_all if above_all is not None and name == "__new__" else klass
                    given = Arguments([one(first), constant(node.name), UNKNOWN, UNKNOWN])
                    self.call(one(function), given, node, frame)
        for method in ordered(self.find(klass, "__init_subclass__", after=klass)):
            inner = method.inner if isinstance(method, Descriptor) else one(method)
            given = Arguments([one(klass)], {k.arg: UNKNOWN for k in node.keywords if k.arg not in {None, "metaclass"}})
            self.call(frozenset(v for v in inner if isinstance(v, Function)), given, node, frame)
        return klass

    def find(self, klass: Klass, name: str, after: Klass | None = None) -> Values:
        """A name in a class and its bases, the first of the program that has it; unbound."""
        mro = klass.mro[klass.mro.index(after) + 1 :] if after in klass.mro else klass.mro
        found: Values = NOTHING
        for base in mro:
            values = base.fields.get(name) if isinstance(base, Klass) else None
            if values:
                found |= values - {MAYBE}
                if MAYBE not in values:
                    break
        return found

    def special(self, owner: Value, name: str) -> Values:
        """The method `__name__` that the program defines for `owner`, bound; nothing if it defines none."""
        klass = owner.klass if isinstance(owner, Instance) else owner.metaclass if isinstance(owner, Klass) else None
        if klass is None:
            return NOTHING
        found: set[Value] = set()
        for value in self.find(klass, name):
            if isinstance(value, Descriptor):
                found |= value.inner
            elif not isinstance(value, Marker | Const):
                found.add(self.method(value, owner))
        return frozenset(found)

    def method(self, function: Value, receiver: Value) -> Value:
        """`function` bound to `receiver`; the same each time. Only functions bind."""
        if not isinstance(function, Function | Partial) or (
            isinstance(function, Partial) and function.kind == "partial"
        ):
            return function
        return self.joint(function, receiver)

    def joint(self, function: Value, receiver: Value) -> Bound:
        """Any callable with a receiver before its arguments; the same each time."""
        return self.value(("bound", function, receiver), lambda: Bound(function, receiver))

    def instantiate(self, klass: Klass, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call a class."""
        called = self.special(klass, "__call__")
        if called:
            made = self.call(called, arguments, site, frame)
            return made or one(self.instance(klass, site, frame))
        return self.construct(klass, arguments, site, frame)

    def construct(self, klass: Klass, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """What `type.__call__` does: make, then initialise."""
        if klass.is_enum:
            return self.members(klass)
        makers = frozenset(self._plain(self.find(klass, "__new__")))
        made: Values = NOTHING
        if makers:
            made = self.call(makers, arguments.behind(klass), site, frame)
            if any(not isinstance(v, Instance) or klass not in v.klass.mro for v in made):
                return made
        made = made or one(self.instance(klass, site, frame))
        starters = self.find(klass, "__init__")
        if starters:
            for instance in ordered(made):
                self.call(frozenset(self.method(s, instance) for s in starters), arguments, site, frame)
            return made
        outside = next((k for k in klass.mro if isinstance(k, External)), None)
        if klass.is_data:
            for instance in ordered(made):
                self._fill(klass, instance, arguments, site, frame)
        elif outside is not None:
            self.edge(frame, f"{outside.name}.__init__")
        elif any(isinstance(k, Builtin) and k.name in CONTAINERS for k in klass.mro):
            for instance in ordered(made):
                self.call_method(instance, "__init__", arguments, site, frame)
        return made

    def members(self, klass: Klass) -> Values:
        """The members of an enumeration."""
        return frozenset(i for i in klass.instances)

    def _plain(self, values: Values) -> list[Value]:
        return [f for v in ordered(values) for f in (v.inner if isinstance(v, Descriptor) else [v])]

    def _fill(self, klass: Klass, instance: Value, arguments: Arguments, site: Hashable, frame: Frame) -> None:
        """The `__init__` that a dataclass gets: its annotated names in order, bases first."""
        names = dict.fromkeys(n for k in reversed(klass.mro) if isinstance(k, Klass) for n in k.annotated)
        for number, name in enumerate(names):
            values = arguments.at(number, name)
            if not values:
                for default in ordered(self.find(klass, name)):
                    values |= (
                        self.call(default.inner, Arguments(), site, frame)
                        if isinstance(default, Descriptor) and default.kind == "field"
                        else one(default)
                    )
            if isinstance(instance, Instance):
                self.store.add(instance, name, values or UNKNOWN)
        self.call(self.special(instance, "__post_init__"), Arguments(), site, frame)


def linear(klass: Klass, bases: list[Value]) -> list[Value]:
    """The method resolution order (C3); where there is none, depth first."""
    lists = [list(b.mro) if isinstance(b, Klass) else [b] for b in bases] + [list(bases)]
    result: list[Value] = [klass]
    while any(lists):
        lists = [order for order in lists if order]
        heads = (order[0] for order in lists)
        head = next((h for h in heads if not any(h in order[1:] for order in lists)), lists[0][0])
        result.append(head)
        lists = [[v for v in order if v is not head] for order in lists]
    return result
