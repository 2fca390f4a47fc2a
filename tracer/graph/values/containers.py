"""Lists, tuples, sets, dicts, iterators: what is under a key, what a write replaces, what iterating gives."""

from __future__ import annotations

from collections.abc import Hashable

from tracer.graph.values.domain import (
    MAYBE,
    NOTHING,
    OPAQUE,
    UNKNOWN,
    Arguments,
    Builtin,
    Const,
    Container,
    External,
    Frame,
    Function,
    Instance,
    Klass,
    Object,
    Value,
    Values,
    constant,
    literals,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import Elements, Machine

ANY = "<any>"  # the field of what is held at a place that is not known
LENGTH = "<length>"  # how many; literals
PLACE = "<place>"  # of an iterator
MOST_KEYS = 8
KINDS = {"list": "list", "tuple": "tuple", "dict": "dict", "set": "set", "frozenset": "set"}
ITERATORS = {"generator", "iterator"}
POSITIONAL = {"list", "tuple"} | ITERATORS


def kind_of(owner: Value) -> str | None:
    """list, tuple, dict, set, …: of a container, or of an instance of a class derived from one."""
    if isinstance(owner, Container):
        return owner.kind
    if isinstance(owner, Instance):
        return next((KINDS[k.name] for k in owner.klass.mro if isinstance(k, Builtin) and k.name in KINDS), None)
    return None


def keys_of(values: Values) -> list[Value] | None:
    """The keys that `values` can be; None where it can be any."""
    found: list[Value] = []
    for value in ordered(values - {MAYBE}):
        if isinstance(value, Container):
            parts = _parts(value)
            if parts is None:
                return None
            found.append(Const(("tuple", *parts)))
        elif isinstance(value, Const | Klass | Function | Builtin | External | Instance):
            if isinstance(value, Instance) and value.many:
                return None
            found.append(value)
        else:
            return None
    return found if 0 < len(found) <= MOST_KEYS else None


def _parts(value: Container) -> list[Hashable] | None:
    count = length(value)
    if value.kind != "tuple" or count is None:
        return None
    parts: list[Hashable] = []
    for number in range(count):
        held = literals(value.fields.get(Const(number)) or NOTHING, 1)
        if held is None:
            return None
        parts.append(held[0])
    return parts


def length(owner: Object) -> int | None:
    """How many elements; None if that is not known."""
    found = literals(owner.fields.get(LENGTH) or NOTHING, 1)
    return found[0] if found and isinstance(found[0], int) and not owner.fields.get(ANY) else None


def held(owner: Object) -> Values:
    """Everything that a container holds."""
    if not isinstance(owner, Container):
        return union(v for k, v in owner.fields.items() if isinstance(k, Value) or k == ANY)
    return union(v for k, v in owner.fields.items() if k not in (LENGTH, PLACE))


class Containers(Machine):
    """`item`, `set_item`, `iterate`, and new containers."""

    def sequence(self, kind: str, items: list[Values], site: Hashable, frame: Frame) -> Container:
        """A new list, tuple or iterator of these elements; a set has no order."""
        if kind in {"set", "frozenset"}:
            return self.bag("set", union(items), site, frame)
        made = self.container(kind, site, frame)
        for number, values in enumerate(items):
            self.store.add(made, Const(number), values)
        if kind != "dict":
            self.store.add(made, LENGTH, constant(len(items)))
        if kind in ITERATORS:
            self.store.write(made, PLACE, constant(0))
        return made

    def bag(self, kind: str, values: Values, site: Hashable, frame: Frame) -> Container:
        """A new container of any number of these elements."""
        made = self.container(kind, site, frame)
        self.store.add(made, ANY, values)
        return made

    def item(self, owner: Value, keys: Values, site: Hashable, frame: Frame) -> Values:
        """`owner[key]`."""
        method = self.special(owner, "__getitem__")
        if method:
            return self.call(method, Arguments([keys]), site, frame)
        kind = kind_of(owner)
        if kind == "namespace" and isinstance(owner, Container):
            return self._from_namespace(owner, keys)
        if kind is not None and isinstance(owner, Object):
            return self._from_container(owner, kind, keys, site, frame)
        if isinstance(owner, Klass) and owner.is_enum:
            named = literals(keys) or []
            names = {i: literals(i.fields.get("name") or NOTHING) or [""] for i in owner.instances}
            return frozenset(i for i in owner.instances if names[i][0] in named)
        if isinstance(owner, Klass):
            makers = self.find(owner, "__class_getitem__")
            return self.call(makers, Arguments([one(owner), keys]), site, frame) or one(owner)
        if isinstance(owner, External) and owner.name == "sys.modules":
            return union(self._module(str(name)) for name in literals(keys) or [])
        return UNKNOWN

    def _module(self, name: str) -> Values:
        if name == "__main__":
            name = self.sources.name_of(self.sources.entry)
        return one(self.modules[name]) if name in self.modules else NOTHING

    def _from_namespace(self, owner: Container, keys: Values) -> Values:
        names = literals(keys)
        targets = [t for t in owner.source if isinstance(t, Object)]
        if names is None:
            return union(v for t in targets for v in t.fields.values()) | UNKNOWN
        return union(t.fields.get(n) for t in targets for n in names)

    def _from_container(self, owner: Object, kind: str, keys: Values, site: Hashable, frame: Frame) -> Values:
        found: Values = NOTHING
        chosen = keys_of(keys)
        if chosen is None or kind == "set":
            return held(owner) or UNKNOWN
        for key in chosen:
            if isinstance(key, Const) and isinstance(key.value, tuple) and key.value[:1] == ("slice",):
                found |= self._part(owner, kind, key.value, site, frame)
                continue
            if kind in POSITIONAL and isinstance(key, Const) and isinstance(key.value, int) and key.value < 0:
                count = length(owner)
                if count is None:
                    found |= held(owner)
                    continue
                key = Const(count + key.value)
            values = owner.fields.get(key)
            found |= (values or NOTHING) | (owner.fields.get(ANY) or NOTHING)
            if not values and isinstance(owner, Container) and kind == "defaultdict":
                made = self.call(owner.source, Arguments(), site, frame)
                self.store.add(owner, key, made)
                found |= made
            elif not values and kind == "dict":
                found |= self.call(self.special(owner, "__missing__"), Arguments([one(key)]), site, frame)
        return found

    def _part(self, owner: Object, kind: str, bounds: tuple[Hashable, ...], site: Hashable, frame: Frame) -> Values:
        count = length(owner)
        kind = kind if kind in {"list", "tuple"} else "list"
        ends = [b if isinstance(b, int) else None for b in bounds[1:]]
        if count is None or ends[2] == 0:
            return one(self.bag(kind, held(owner), (site, owner), frame))
        items = [owner.fields.get(Const(n)) or NOTHING for n in range(count)][slice(*ends)]
        return one(self.sequence(kind, items, (site, owner), frame))

    def set_item(self, owners: Values, keys: Values, values: Values, site: Hashable, frame: Frame) -> None:
        """`owner[key] = value`."""
        single = len(owners) == 1
        for owner in ordered(owners):
            method = self.special(owner, "__setitem__")
            kind = kind_of(owner)
            if method:
                self.call(method, Arguments([keys, values]), site, frame)
            elif kind == "namespace" and isinstance(owner, Container):
                for name in literals(keys) or []:
                    for target in owner.source:
                        if isinstance(target, Object):
                            self.store.write(target, name, values)
            elif kind is not None and isinstance(owner, Object):
                self._put(owner, kind, keys_of(keys), values, single)

    def _put(self, owner: Object, kind: str, keys: list[Value] | None, values: Values, single: bool) -> None:
        if keys is None or (isinstance(keys[0], Const) and isinstance(keys[0].value, tuple) and kind == "list"):
            self.store.add(owner, ANY, values)
            return
        for key in keys:
            if kind == "list" and isinstance(key, Const) and isinstance(key.value, int) and key.value < 0:
                count = length(owner)
                if count is None:
                    self.store.add(owner, ANY, values)
                    continue
                key = Const(count + key.value)
            if single and len(keys) == 1 and not owner.many:
                self.store.write(owner, key, values)
            else:
                self.store.add(owner, key, values)

    def iterate(self, values: Values, site: Hashable, frame: Frame, awaited: bool = False) -> Elements:
        """What iterating gives."""
        found = [self._iterate(v, site, frame, "__a" if awaited else "__") for v in ordered(values - {MAYBE})]
        if not found:
            return Elements(NOTHING, None)
        return Elements(union(f.every for f in found), found[0].each if len(found) == 1 else None)

    def _iterate(self, owner: Value, site: Hashable, frame: Frame, prefix: str) -> Elements:
        starter = self.special(owner, f"{prefix}iter__")
        if starter:
            made = self.call(starter, Arguments(), site, frame)
            each = [self._next(v, site, frame, prefix) for v in ordered(made)]
            return each[0] if len(each) == 1 else Elements(union(e.every for e in each), None)
        getter = self.special(owner, "__getitem__")
        kind = kind_of(owner)
        if getter and kind is None:
            return Elements(self.call(getter, Arguments([UNKNOWN]), site, frame), None)
        if isinstance(owner, Klass) and owner.is_enum:
            return Elements(frozenset(owner.instances), [one(i) for i in owner.instances])
        if kind is None or not isinstance(owner, Object) or kind == "namespace":
            return Elements(UNKNOWN, None)
        if kind.endswith("dict"):
            keys = [one(k) for k, v in owner.fields.items() if isinstance(k, Value) and v is not None]
            if owner.fields.get(ANY):
                return Elements(union(keys) | UNKNOWN, None)
            return Elements(union(keys), [_spread(k) for k in keys])
        count = length(owner)
        if count is None:
            return Elements(held(owner), None)
        start = 0
        if kind in ITERATORS:
            places = literals(owner.fields.get(PLACE) or NOTHING, 1)
            if places is None or not isinstance(places[0], int):
                return Elements(held(owner), None)
            start = places[0]
            self.store.write(owner, PLACE, constant(count))
        items = [owner.fields.get(Const(n)) or NOTHING for n in range(start, count)]
        return Elements(union(items), items)

    def _next(self, owner: Value, site: Hashable, frame: Frame, prefix: str) -> Elements:
        if isinstance(owner, Container):
            return self._iterate(owner, site, frame, prefix)
        return Elements(self.call(self.special(owner, f"{prefix}next__"), Arguments(), site, frame), None)

    def advance(self, owner: Value, site: Hashable, frame: Frame) -> Values:
        """`next(owner)`."""
        if not isinstance(owner, Container):
            prefix = "__" if self.special(owner, "__next__") else "__a"
            return self.call(self.special(owner, f"{prefix}next__"), Arguments(), site, frame)
        count = length(owner)
        places = literals(owner.fields.get(PLACE) or NOTHING, 1)
        if count is None or places is None or not isinstance(places[0], int) or owner.many:
            return held(owner) or UNKNOWN
        values = owner.fields.get(Const(places[0])) or NOTHING
        self.store.write(owner, PLACE, constant(places[0] + 1))
        return values


def _spread(values: Values) -> Values:
    return values if values else frozenset([OPAQUE])
