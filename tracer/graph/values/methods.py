"""Methods of built-in types: what they put into a container, take out of it, or call."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from tracer.graph.values.containers import ANY, ITERATORS, LENGTH, Containers, held, keys_of, kind_of, length
from tracer.graph.values.domain import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Bound,
    Builtin,
    Const,
    Container,
    Descriptor,
    Frame,
    Function,
    Instance,
    Klass,
    Object,
    Partial,
    Super,
    Value,
    Values,
    constant,
    literals,
    one,
    ordered,
    union,
)

# The public call-graph benchmarks name the methods of text and dict so.
TEXT, DICT = "<**PyStr**>", "<**PyDict**>"
PURE = {"lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "replace", "format", "removeprefix",
        "removesuffix", "casefold", "swapcase"}  # fmt: skip
ADD = {"append", "add", "appendleft"}
EXTEND = {"extend", "extendleft", "union", "intersection_update", "symmetric_difference"}
SAME = {"copy", "difference", "intersection", "__iter__", "__enter__", "__aiter__"}


class Methods(Containers):
    """`call_method`."""

    def call_method(self, receiver: Value, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call a method of a built-in type."""
        if isinstance(receiver, Const):
            return self._of_literal(receiver, name, arguments, frame)
        if name == "__new__":
            made = ordered(arguments.at(0))
            return frozenset(self.instance(k, site, frame) for k in made if isinstance(k, Klass)) or UNKNOWN
        if isinstance(receiver, Super):
            return self._of_super_method(receiver, name, arguments, site, frame)
        if isinstance(receiver, Descriptor):
            return self._of_property(receiver, name, arguments)
        if isinstance(receiver, Klass):
            return self._of_class_object(receiver, name, site, frame)
        if isinstance(receiver, Builtin):
            return self._of_builtin(receiver, name, arguments, site, frame)
        if isinstance(receiver, Function) and name == "__get__":
            return frozenset(self.method(receiver, r) for r in ordered(arguments.at(0)))
        if isinstance(receiver, Partial) and receiver.kind in {"dispatch", "registering"}:
            return self._registered(receiver, arguments)
        kind = kind_of(receiver)
        if kind is None or not isinstance(receiver, Object):
            return UNKNOWN
        if kind.endswith("dict"):
            return self._of_dict(receiver, name, arguments, site, frame)
        return self._of_sequence(receiver, kind, name, arguments, site, frame)

    def _of_literal(self, receiver: Const, name: str, arguments: Arguments, frame: Frame) -> Values:
        if not isinstance(receiver.value, str):
            return one(receiver) if name == "value" else UNKNOWN
        self.edge(frame, f"{TEXT}.{name}")
        given = [literals(a, 1) for a in arguments.positional]
        named = {k: literals(v, 1) for k, v in arguments.keywords.items()}
        loose = arguments.rest is not None or arguments.rest_keywords is not None
        known = [g for g in [*given, *named.values()] if g is not None]
        if name not in PURE or loose or len(known) < len(given) + len(named):
            return UNKNOWN
        if name == "format" and any(c in receiver.value for c in ":!."):
            return UNKNOWN
        method: Callable[..., Hashable] = getattr(receiver.value, name)
        try:
            return constant(method(*(g[0] for g in given if g), **{k: v[0] for k, v in named.items() if v}))
        except (TypeError, ValueError, LookupError):
            return UNKNOWN

    def _of_super_method(
        self, receiver: Super, name: str, arguments: Arguments, site: Hashable, frame: Frame
    ) -> Values:
        instance = receiver.receiver
        if name == "__setattr__" and isinstance(instance, Instance):
            for attribute in literals(arguments.at(0)) or []:
                self.store.add(instance, attribute, arguments.at(1))
            return NOTHING
        if name == "__call__" and isinstance(instance, Klass):  # in a metaclass
            return self.construct(instance, arguments, site, frame)
        if kind_of(instance) is not None:
            plain = {"__getitem__": "get", "__setitem__": "__setitem__", "__init__": "__init__"}.get(name, name)
            return self.call_method(instance, plain, arguments, site, frame)
        return UNKNOWN

    def _of_property(self, receiver: Descriptor, name: str, arguments: Arguments) -> Values:
        given = arguments.at(0)
        key = ("property", receiver, name, given)
        if name == "setter":
            return one(self.value(key, lambda: Descriptor("property", receiver.inner, given)))
        if name == "getter":
            return one(self.value(key, lambda: Descriptor("property", given, receiver.setter)))
        return one(receiver)

    def _of_class_object(self, receiver: Klass, name: str, site: Hashable, frame: Frame) -> Values:
        if name == "__subclasses__":
            below = [one(k) for k in self.klasses if receiver in k.mro[1:2]]
            return one(self.sequence("list", below, site, frame))
        if name == "mro":
            return one(self.sequence("list", [one(k) for k in receiver.mro], site, frame))
        if name == "__members__":
            return UNKNOWN
        return UNKNOWN

    def _of_builtin(self, receiver: Builtin, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        if receiver.name == "dict" and name == "fromkeys":
            made = self.sequence("dict", [], site, frame)
            found = self.iterate(arguments.at(0), site, frame)
            for key in found.each if found.each is not None else [UNKNOWN]:
                self.set_item(one(made), key, arguments.at(1) or constant(None), site, frame)
            return one(made)
        if receiver.name == "object" and name == "__setattr__":
            for owner in ordered(arguments.at(0)):
                for attribute in literals(arguments.at(1)) or []:
                    if isinstance(owner, Object):
                        self.store.add(owner, attribute, arguments.at(2))
            return NOTHING
        rest = Arguments(arguments.positional[1:], arguments.keywords, arguments.rest, arguments.rest_keywords)
        return union(
            self.call_method(owner, name, rest, site, frame)
            for owner in ordered(arguments.at(0))
            if isinstance(owner, Container | Const) or kind_of(owner) is not None
        )

    def _registered(self, receiver: Partial, arguments: Arguments) -> Values:
        """`register` of a `singledispatch` function: as a decorator, with a type or without."""
        added = frozenset(v for v in arguments.at(0) | arguments.at(1) if isinstance(v, Function | Bound))
        if not added:
            return one(
                self.value(("registering", receiver), lambda: Partial(one(receiver), Arguments(), "registering"))
            )
        for target in receiver.inner if receiver.kind == "registering" else one(receiver):
            if isinstance(target, Partial):
                target.inner |= added
        return added

    def _of_dict(self, owner: Object, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        first, second = arguments.at(0), arguments.at(1, "default")
        keys = keys_of(first)
        if name in {"get", "pop", "setdefault", "__getitem__"}:
            found = self._from_container(owner, "dict", first, site, frame) - UNKNOWN
            sure = keys is not None and all(owner.fields.get(k) for k in keys) and not owner.many
            if not sure:
                found |= second or (constant(None) if name == "get" else NOTHING)
            if name == "setdefault" and not sure:
                self._put(owner, "dict", keys, found, True)
            if name == "pop" and keys is not None and len(keys) == 1 and not owner.many:
                self.store.write(owner, keys[0], None)
            result = found
        elif name == "__delitem__":
            if keys is not None and len(keys) == 1 and not owner.many:
                self.store.write(owner, keys[0], None)
            return NOTHING
        elif name in {"update", "__init__", "__ior__"}:
            self._update(owner, arguments, site, frame)
            return NOTHING
        elif name == "__setitem__":
            self._put(owner, "dict", keys, second, True)
            return NOTHING
        elif name in {"items", "keys", "values", "popitem"}:
            result = self._view(owner, name, site, frame)
        elif name == "copy":
            made = self.sequence("dict", [], (site, owner), frame)
            self._update(made, Arguments([one(owner)]), site, frame)
            result = one(made)
        elif name == "clear":
            for key in list(owner.fields):
                self.store.write(owner, key, None)
            return NOTHING
        else:
            result = UNKNOWN
        followed = any(isinstance(v, Function | Bound | Klass | Object) for v in held(owner))
        if isinstance(owner, Container) and not followed:
            self.edge(frame, f"{DICT}.{name}")  # of plain data; what holds functions is followed instead
        return result

    def _view(self, owner: Object, name: str, site: Hashable, frame: Frame) -> Values:
        pairs = [(k, v) for k, v in owner.fields.items() if isinstance(k, Value) and v is not None]
        loose = owner.fields.get(ANY)
        items: list[Values] = []
        for key, values in pairs:
            if name in {"items", "popitem"}:
                items.append(one(self.sequence("tuple", [one(key), values], (site, owner, key), frame)))
            else:
                items.append(one(key) if name == "keys" else values)
        if loose:
            pair = self.sequence("tuple", [UNKNOWN, loose], (site, owner, ANY), frame) if name == "items" else None
            items.append(one(pair) if pair is not None else UNKNOWN if name == "keys" else loose)
        if name == "popitem":
            return union(items)
        if loose:
            return one(self.bag("list", union(items), (site, owner, name), frame))
        return one(self.sequence("list", items, (site, owner, name), frame))

    def _update(self, owner: Object, arguments: Arguments, site: Hashable, frame: Frame) -> None:
        single = not owner.many
        for source in ordered(arguments.at(0)):
            kind = kind_of(source) or ""
            if isinstance(source, Object) and kind.endswith("dict"):
                for key, values in list(source.fields.items()):
                    if values is not None and (isinstance(key, Value) or key == ANY):
                        self._put(owner, "dict", [key] if isinstance(key, Value) else None, values, single)
                continue
            found = self.iterate(one(source), site, frame)
            for pair in found.each if found.each is not None else [found.every]:
                for couple in ordered(pair):
                    parts = self.iterate(one(couple), site, frame).each
                    if parts is not None and len(parts) == 2:
                        self._put(owner, "dict", keys_of(parts[0]), parts[1], single)
        for name, values in arguments.keywords.items():
            self._put(owner, "dict", [Const(name)], values, single)
        if arguments.rest_keywords is not None:
            self._put(owner, "dict", None, arguments.rest_keywords, single)

    def _of_sequence(
        self, owner: Object, kind: str, name: str, arguments: Arguments, site: Hashable, frame: Frame
    ) -> Values:
        first = arguments.at(0)
        if name in ADD:
            self._append(owner, kind, first, front=name == "appendleft")
        elif name == "insert":
            self._loosen(owner, arguments.at(1))
        elif name in EXTEND or name in {"update", "__init__", "__iadd__"}:
            found = self.iterate(first, site, frame)
            for values in found.each if found.each is not None else []:
                self._append(owner, kind, values)
            if found.each is None:
                self._loosen(owner, found.every)
            return one(owner) if name in EXTEND else NOTHING
        elif name in {"pop", "popleft"}:
            return self._pop(owner, kind, name, arguments)
        elif name in {"remove", "discard", "reverse", "sort", "rotate", "__delitem__"}:
            self._loosen(owner, NOTHING)
            self.call(arguments.keywords.get("key", NOTHING), Arguments([held(owner)]), site, frame)
        elif name == "clear":
            for key in list(owner.fields):
                self.store.write(owner, key, constant(0) if key == LENGTH else None)
        elif name in {"get", "__getitem__"}:
            return self._from_container(owner, kind, first, site, frame)
        elif name == "__setitem__":
            self._put(owner, kind, keys_of(first), arguments.at(1), True)
        elif name in SAME:
            if name.startswith("__"):
                return one(owner)
            count = length(owner)
            if count is None:
                return one(self.bag(kind, held(owner), (site, owner), frame))
            items = [owner.fields.get(Const(n)) or NOTHING for n in range(count)]
            return one(self.sequence(kind, items, (site, owner), frame))
        elif name in {"send", "__next__", "__anext__", "throw"} and kind in ITERATORS:
            return held(owner)
        else:
            return UNKNOWN
        return NOTHING

    def _append(self, owner: Object, kind: str, values: Values, *, front: bool = False) -> None:
        count = length(owner)
        if kind == "set" or count is None or owner.many or front:
            self._loosen(owner, values)
        else:
            self.store.write(owner, Const(count), values)
            self.store.write(owner, LENGTH, constant(count + 1))

    def _loosen(self, owner: Object, values: Values) -> None:
        """Positions are no longer known; `values` are among the elements."""
        everything = held(owner) | values
        for key in list(owner.fields):
            if key == LENGTH or isinstance(key, Const):
                self.store.write(owner, key, None)
        self.store.write(owner, ANY, everything)

    def _pop(self, owner: Object, kind: str, name: str, arguments: Arguments) -> Values:
        count = length(owner)
        last = not arguments.positional or (literals(arguments.at(0), 1) or [0])[0] == -1
        if kind == "set" or not count or owner.many or name != "pop" or not last:
            found = held(owner)
            at = 0 if name == "popleft" else (literals(arguments.at(0), 1) or [None])[0]
            if count and not owner.many and kind != "set" and isinstance(at, int) and 0 <= at < count:
                found = owner.fields.get(Const(at)) or NOTHING
                self._shift(owner, at, count)
                return found
            self._loosen(owner, NOTHING)
            return found
        values = owner.fields.get(Const(count - 1)) or NOTHING
        self.store.write(owner, Const(count - 1), None)
        self.store.write(owner, LENGTH, constant(count - 1))
        return values

    def _shift(self, owner: Object, at: int, count: int) -> None:
        for number in range(at, count - 1):
            self.store.write(owner, Const(number), owner.fields.get(Const(number + 1)))
        self.store.write(owner, Const(count - 1), None)
        self.store.write(owner, LENGTH, constant(count - 1))
