"""Attributes, by the descriptor rules: of instances, classes, `super()`, modules, functions."""

from __future__ import annotations

from collections.abc import Hashable

from tracer.graph.values.domain import (
    MAYBE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Bound,
    Builtin,
    Const,
    Container,
    Descriptor,
    External,
    Frame,
    Function,
    Instance,
    Klass,
    Method,
    Module,
    Object,
    Partial,
    Super,
    Value,
    Values,
    constant,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import Machine

LONGEST = 8  # dots in the name of something outside the program


class Attributes(Machine):
    """`attribute` and `set_attribute`."""

    def attributes(self, owners: Values, name: str, site: Hashable, frame: Frame) -> Values:
        """`owner.name` of each owner."""
        return union(self.attribute(owner, name, site, frame) for owner in ordered(owners))

    def attribute(self, owner: Value, name: str, site: Hashable, frame: Frame) -> Values:
        """`owner.name`."""
        if isinstance(owner, Instance):
            return self._of_instance(owner, name, site, frame)
        if isinstance(owner, Klass):
            return self._of_class(owner, name, site, frame)
        if isinstance(owner, Super):
            return self._of_super(owner, name, site, frame)
        if isinstance(owner, Module):
            return self._of_module(owner, name, site, frame)
        if isinstance(owner, External):
            return one(self.outside(f"{owner.name}.{name}")) if owner.name.count(".") < LONGEST else UNKNOWN
        if isinstance(owner, Function):
            return self._of_function(owner, name)
        if isinstance(owner, Bound):
            special = {"__func__": owner.function, "__self__": owner.receiver}.get(name)
            return one(special) if special is not None else self.attribute(owner.function, name, site, frame)
        if isinstance(owner, Partial) and name == "func":
            return owner.inner
        if isinstance(owner, Container | Const | Builtin | Descriptor | Partial):
            return one(self.value(("method", owner, name), lambda: Method(owner, name)))
        return UNKNOWN

    def outside(self, name: str, instance: bool = False) -> External:
        """The value of a dotted name outside the program."""
        return self.value(("external", name, instance), lambda: External(name, instance))

    def _of_instance(self, owner: Instance, name: str, site: Hashable, frame: Frame) -> Values:
        if name == "__class__":
            return one(owner.klass)
        if name == "__dict__":
            return one(self.namespace(owner))
        above = ordered(self.find(owner.klass, name))
        if any(isinstance(v, Descriptor) and v.kind == "property" for v in above):
            return self._bind(above, owner, owner.klass, site, frame)
        values = owner.fields.get(name)
        if values and MAYBE not in values:
            return values
        if above:
            return (values or NOTHING) - {MAYBE} | self._bind(above, owner, owner.klass, site, frame)
        missing = self.special(owner, "__getattr__") or self.special(owner, "__getattribute__")
        if missing:
            return (values or NOTHING) | self.call(missing, Arguments([constant(name)]), site, frame)
        return (values or NOTHING) - {MAYBE} or self._beyond(owner.klass.mro, owner, name)

    def _beyond(self, mro: list[Value], owner: Value, name: str) -> Values:
        for base in mro:
            if isinstance(base, External):
                return one(self.outside(f"{base.name}.{name}"))
            if isinstance(base, Builtin) and base.name != "object":
                return one(self.value(("method", owner, name), lambda: Method(owner, name)))
        return NOTHING

    def _of_class(self, owner: Klass, name: str, site: Hashable, frame: Frame) -> Values:
        found = self.find(owner, name)
        if found:
            return self._bind(ordered(found), None, owner, site, frame)
        if name in {"__name__", "__qualname__"}:
            return constant(owner.name.rsplit(".", 1)[-1])
        if name == "__dict__":
            return one(self.namespace(owner))
        if owner.metaclass is not None:
            above = ordered(self.find(owner.metaclass, name))
            if above:
                return self._bind(above, owner, owner.metaclass, site, frame)
        if name in {"__subclasses__", "mro", "__new__", "__members__"}:
            return one(self.value(("method", owner, name), lambda: Method(owner, name)))
        return self._beyond(owner.mro, owner, name)

    def _of_super(self, owner: Super, name: str, site: Hashable, frame: Frame) -> Values:
        receiver = owner.receiver
        klass = receiver.klass if isinstance(receiver, Instance) else receiver
        if not isinstance(klass, Klass):
            return UNKNOWN
        if isinstance(receiver, Klass) and owner.owner not in klass.mro and receiver.metaclass is not None:
            klass = receiver.metaclass
        found = ordered(self.find(klass, name, after=owner.owner))
        if found and name == "__new__":
            return frozenset(found)
        if found:
            through = isinstance(receiver, Instance) or klass is not receiver
            return self._bind(found, receiver if through else None, klass, site, frame)
        place = klass.mro.index(owner.owner) + 1 if owner.owner in klass.mro else 0
        beyond = next((b for b in klass.mro[place:] if isinstance(b, External)), None)
        if beyond is not None and name != "__new__":
            return one(self.outside(f"{beyond.name}.{name}"))
        return one(self.value(("method", owner, name), lambda: Method(owner, name)))

    def _of_module(self, owner: Module, name: str, site: Hashable, frame: Frame) -> Values:
        values = owner.frame.fields.get(name)
        if values is not None:
            return values
        if self.sources.find(f"{owner.name}.{name}") is not None and owner.package == owner.name:
            return one(self.load(f"{owner.name}.{name}"))
        if name == "__dict__":
            return one(self.namespace(owner.frame))
        if name == "__name__":
            return constant(owner.name)
        return self.call(owner.frame.fields.get("__getattr__") or NOTHING, Arguments([constant(name)]), site, frame)

    def _of_function(self, owner: Function, name: str) -> Values:
        if name in {"__name__", "__qualname__"} and not owner.fields.get(name):
            return constant(owner.name.rsplit(".", 1)[-1])
        if name == "__call__":
            return one(owner)
        values = owner.fields.get(name)
        return values if values else one(self.value(("method", owner, name), lambda: Method(owner, name)))

    def _bind(self, found: list[Value], receiver: Value | None, klass: Klass, site: Hashable, frame: Frame) -> Values:
        """Attributes found on a class, as its instance (or, without one, the class itself) gives them."""
        bound: set[Value] = set()
        for value in found:
            if isinstance(value, Descriptor) and value.kind == "classmethod":
                owner = receiver if isinstance(receiver, Klass) else klass
                bound |= {self.joint(f, owner) for f in ordered(value.inner)}
            elif isinstance(value, Descriptor) and value.kind == "staticmethod":
                bound |= value.inner
            elif isinstance(value, Descriptor) and value.kind == "property" and receiver is not None:
                bound |= self.call(value.inner, Arguments([one(receiver)]), site, frame)
            elif isinstance(value, Instance) and self.special(value, "__get__"):
                given = one(receiver) if receiver is not None else constant(None)
                bound |= self.call(self.special(value, "__get__"), Arguments([given, one(klass)]), site, frame)
            elif receiver is not None:
                bound.add(self.method(value, receiver))
            else:
                bound.add(value)
        return frozenset(bound)

    def namespace(self, owner: Object) -> Container:
        """The names of an object as a dict."""
        made = self.value(("namespace", owner), lambda: Container("namespace"))
        made.source = one(owner)
        return made

    def set_attribute(self, owners: Values, name: str, values: Values, site: Hashable, frame: Frame) -> None:
        """`owner.name = value`."""
        single = len(owners) == 1
        for owner in ordered(owners):
            target: Object | None = owner if isinstance(owner, Instance | Klass | Function) else None
            if isinstance(owner, Module):
                target = owner.frame
            if isinstance(owner, Instance) and self._set_by_class(owner, name, values, site, frame):
                continue
            if target is not None and single and not target.many:
                self.store.write(target, name, values)
            elif target is not None:
                self.store.add(target, name, values)

    def _set_by_class(self, owner: Instance, name: str, values: Values, site: Hashable, frame: Frame) -> bool:
        """Whether a property, a descriptor or `__setattr__` took the value."""
        taken = False
        for found in ordered(self.find(owner.klass, name)):
            if isinstance(found, Descriptor) and found.kind == "property" and found.setter:
                self.call(found.setter, Arguments([one(owner), values]), site, frame)
                taken = True
            elif self.special(found, "__set__"):
                self.call(self.special(found, "__set__"), Arguments([one(owner), values]), site, frame)
                taken = True
        if not taken:
            self.call(self.special(owner, "__setattr__"), Arguments([constant(name), values]), site, frame)
        return taken
