"""Built-in functions: those that call back, make containers, look names up, or ask an object's own methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from functools import partial

from tracer.graph.values.classes import linear
from tracer.graph.values.containers import ITERATORS
from tracer.graph.values.domain import (
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
    Prefix,
    Super,
    Value,
    Values,
    constant,
    literals,
    one,
    ordered,
    union,
)
from tracer.graph.values.machine import UNROLLED
from tracer.graph.values.methods import Methods

LONGEST = 10_000  # characters of a text that is run
ASKS = {
    "len": "__len__", "repr": "__repr__", "hash": "__hash__", "abs": "__abs__", "int": "__int__", "bool": "__bool__",
    "float": "__float__", "bytes": "__bytes__", "reversed": "__reversed__", "round": "__round__", "dir": "__dir__",
    "complex": "__complex__",
}  # fmt: skip
TEXTS = {"str", "print", "format"}


class Builtins(Methods):
    """`call_builtin`."""

    def call_builtin(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call a built-in function."""
        special: Callable[..., Values] | None = _BUILTINS.get(name)
        if special is not None:
            return special(self, name, arguments, site, frame)
        if name in TEXTS:
            for values in arguments.positional:
                for value in ordered(values):
                    method = self.special(value, "__str__") or self.special(value, "__repr__")
                    self.call(method, Arguments(), site, frame)
            found = literals(arguments.at(0)) if name == "str" and len(arguments.positional) == 1 else None
            return union(constant(str(v)) for v in found) if found else UNKNOWN
        if name in ASKS:
            return (
                union(
                    self.call(self.special(v, ASKS[name]), Arguments(), site, frame) for v in ordered(arguments.at(0))
                )
                or UNKNOWN
            )
        return UNKNOWN

    def callable_part(self, values: Values) -> Values:
        """Those of `values` that can be called."""
        kinds = (Function, Bound, Klass, Partial, Builtin, Method)
        return frozenset(
            v
            for v in values
            if isinstance(v, kinds)
            or (isinstance(v, External) and not v.instance)
            or (isinstance(v, Instance) and self.special(v, "__call__"))
        )

    def _split(self, arguments: Arguments) -> tuple[Values, list[Values]]:
        """The function that a built-in calls back, wherever it is passed, and the other arguments."""
        for number, values in enumerate(arguments.positional):
            called = self.callable_part(values)
            if called:
                return called, [*arguments.positional[:number], *arguments.positional[number + 1 :]]
        return NOTHING, arguments.positional[1:]

    def each_call(
        self, called: Values, given: list[Values], site: Hashable, frame: Frame, spread: bool = False
    ) -> list[Values] | Values:
        """Call back with the elements of `given`; what comes back, one by one where the elements are known."""
        found = [self.iterate(v, site, frame) for v in given]
        sizes = [len(f.each) if f.each is not None else None for f in found]
        if not found or None in sizes or not 0 < min(s or 0 for s in sizes) <= UNROLLED:
            every = [f.every or UNKNOWN for f in found] or [UNKNOWN]
            return self.call(called, self._spread(every, site, frame) if spread else Arguments(every), site, frame)
        results = []
        before = frame.iteration
        for number in range(min(s or 0 for s in sizes)):
            frame.iteration = (*before, number)
            items = [f.each[number] for f in found if f.each is not None]
            passed = self._spread(items, site, frame) if spread else Arguments(items)
            results.append(self.call(called, passed, site, frame))
        frame.iteration = before
        return results

    def _spread(self, items: list[Values], site: Hashable, frame: Frame) -> Arguments:
        found = self.iterate(items[0], site, frame)
        return Arguments(found.each) if found.each is not None else Arguments(rest=found.every)

    def made_of(self, kind: str, found: list[Values] | Values, site: Hashable, frame: Frame) -> Values:
        """A container of elements in their order, or of any number of them."""
        if isinstance(found, list):
            return one(self.sequence(kind, found, site, frame))
        return one(self.bag(kind, found, site, frame))

    def _map(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        called, given = self._split(arguments)
        return self.made_of("iterator", self.each_call(called, given, site, frame), site, frame)

    def _filter(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        called, given = self._split(arguments)
        self.each_call(called, given[:1], site, frame)
        kept = [self.iterate(v, site, frame).every for v in given[:1]]
        return one(self.bag("iterator", union(kept), site, frame))

    def _by_key(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        given = arguments.positional
        every = union(self.iterate(v, site, frame).every for v in given[:1]) if len(given) < 2 else union(given)
        self.call(arguments.keywords.get("key", NOTHING), Arguments([every or UNKNOWN]), site, frame)
        return one(self.bag("list", every, site, frame)) if name == "sorted" else every

    def _collect(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        kind = {"frozenset": "set", "iter": "iterator", "reversed": "iterator"}.get(name, name)
        if not arguments.positional:
            return one(self.sequence(kind, [], site, frame))
        given = arguments.at(0)
        if name == "iter" and len(arguments.positional) == 2:
            return one(self.bag(kind, self.call(given, Arguments(), site, frame), site, frame))
        if name == "iter":
            own = frozenset(v for v in given if self.special(v, "__iter__") or self._is_iterator(v))
            made = union(
                one(v) if self._is_iterator(v) else self.call(self.special(v, "__iter__"), Arguments(), site, frame)
                for v in ordered(own)
            )
            given -= own
            if not given:
                return made
        found = self.iterate(given, site, frame)
        items = found.each if found.each is not None else found.every
        if name == "reversed" and isinstance(items, list):
            items = items[::-1]
        return self.made_of(kind, items, site, frame)

    def _is_iterator(self, value: Value) -> bool:
        return isinstance(value, Container) and value.kind in ITERATORS

    def _dict(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        made = self.sequence("dict", [], site, frame)
        self._update(made, arguments, site, frame)
        return one(made)

    def _pairs(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        found = [self.iterate(v, site, frame) for v in arguments.positional[: 1 if name == "enumerate" else None]]
        sizes = [len(f.each) if f.each is not None else None for f in found]
        if not found or None in sizes:
            every = [f.every for f in found]
            pair = self.sequence("tuple", [UNKNOWN, *every] if name == "enumerate" else every, (site, "pair"), frame)
            return one(self.bag("iterator", one(pair), site, frame))
        items: list[Values] = []
        for number in range(min(s or 0 for s in sizes)):
            parts = [f.each[number] for f in found if f.each is not None]
            if name == "enumerate":
                parts = [constant(number) if len(arguments.positional) == 1 else UNKNOWN, *parts]
            items.append(one(self.sequence("tuple", parts, (site, number), frame)))
        return one(self.sequence("iterator", items, site, frame))

    def _advance(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        return union(self.advance(v, site, frame) for v in ordered(arguments.at(0))) | arguments.at(1)

    def _consume(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        self.iterate(arguments.at(0), site, frame)
        return UNKNOWN

    def _getattr(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        names = literals(arguments.at(1))
        default = arguments.at(2)
        if names is None:
            begun = [v.text for v in ordered(arguments.at(1)) if isinstance(v, Prefix)]
            fitting = [n for owner in ordered(arguments.at(0)) for text in begun for n in _beginning(owner, text)]
            found = union(self.attributes(arguments.at(0), n, site, frame) for n in dict.fromkeys(fitting))
            return UNKNOWN | default | found
        found = union(self.attributes(arguments.at(0), str(n), site, frame) for n in names)
        return found | default if not found or len(names) > 1 or found <= UNKNOWN else found

    def _setattr(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        names = literals(arguments.at(1)) or []
        for name in names:
            self.set_attribute(arguments.at(0), str(name), arguments.at(2), site, frame)
        return NOTHING

    def _names(self, name: str, arguments: Arguments, _site: Hashable, frame: Frame) -> Values:
        if name == "globals" and frame.module is not None:
            return one(self.namespace(frame.module.frame))
        if name == "locals" or not arguments.positional:
            return one(self.namespace(frame))
        owners = (o.frame if isinstance(o, Module) else o for o in ordered(arguments.at(0)))
        return union(one(self.namespace(o)) for o in owners if isinstance(o, Object))

    def _type(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        if len(arguments.positional) == 3:
            return self._new_type(arguments, site, frame)
        found: set[Value] = set()
        for value in ordered(arguments.at(0)):
            if isinstance(value, Instance):
                found.add(value.klass)
            elif isinstance(value, Klass) and value.metaclass is not None:
                found.add(value.metaclass)
            elif isinstance(value, External) and value.instance:
                found.add(self.outside(value.name))
            elif isinstance(value, Const):
                found |= one(self.builtin(type(value.value).__name__))
        return frozenset(found) or UNKNOWN

    def builtin(self, name: str) -> Builtin:
        """The value of a built-in name."""
        return self.value(("builtin", name), lambda: Builtin(name))

    def _new_type(self, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        names = literals(arguments.at(0), 1)
        node = ast.ClassDef(str(names[0]) if names else "type", [], [], [], [])
        klass = self.value(
            ("type", site, frame, frame.iteration), lambda: Klass(f"{frame.scope}.{node.name}", node, frame)
        )
        self.klasses[klass] = None
        bases = self.iterate(arguments.at(1), site, frame).each or []
        klass.mro = linear(klass, [b for base in bases for b in ordered(base)])
        for body in ordered(arguments.at(2)):
            for key, values in body.fields.items() if isinstance(body, Container) else ():
                if isinstance(key, Const) and values:
                    self.store.write(klass, key.value, values)
        return one(klass)

    def _super(self, _name: str, arguments: Arguments, _site: Hashable, frame: Frame) -> Values:
        if len(arguments.positional) >= 2:
            owners, receivers = arguments.at(0), arguments.at(1)
        else:
            owners, receivers = self._around(frame)
        return frozenset(
            self.value(("super", o, r), partial(Super, o, r))
            for o in ordered(owners)
            if isinstance(o, Klass)
            for r in ordered(receivers)
            if isinstance(r, Instance | Klass)
        )

    def _around(self, frame: Frame) -> tuple[Values, Values]:
        """The class and the receiver of the method around `frame`."""
        place: Frame | None = frame
        while place is not None:
            function = place.function if place.kind == "function" else None
            if function is not None and function.frame.kind == "class" and function.frame.klass is not None:
                signature = function.node.args
                first = [*signature.posonlyargs, *signature.args][:1]
                receiver = place.fields.get(first[0].arg) if first else None
                return one(function.frame.klass), receiver or NOTHING
            place = place.parent
        return NOTHING, NOTHING

    def _descriptor(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        inner, setter = arguments.at(0, "fget"), arguments.at(1, "fset")
        return one(self.value((name, site, frame, inner, setter), lambda: Descriptor(name, inner, setter)))

    def _run_text(self, name: str, arguments: Arguments, _site: Hashable, frame: Frame) -> Values:
        result: Values = NOTHING
        for text in literals(arguments.at(0)) or []:
            if not isinstance(text, str) or len(text) > LONGEST:
                continue
            tree = self._parsed.get((name, text))
            if tree is None:
                try:
                    tree = ast.parse(text.strip(), mode=name)
                except (SyntaxError, ValueError, RecursionError):
                    continue
                self._parsed[name, text] = tree
            if isinstance(tree, ast.Expression):
                result |= self.evaluate(tree.body, frame)
            elif isinstance(tree, ast.Module):
                self.execute(tree.body, frame)
        return result or UNKNOWN

    def _import_text(self, _name: str, arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        return self.import_by_name(arguments.at(0), "")

    def import_by_name(self, names: Values, package: str) -> Values:
        """The modules of these names."""
        found: set[Value] = set()
        for name in literals(names) or []:
            if not isinstance(name, str) or not name.strip("."):
                continue
            full = f"{package}{name}" if name.startswith(".") else name
            inside = self.sources.resolve(full)
            found.add(self.load(inside) if inside is not None else self.outside(full))
        return frozenset(found) or UNKNOWN


def _beginning(owner: Value, text: str) -> list[str]:
    """The attributes of an object whose names begin with `text`."""
    klass = owner.klass if isinstance(owner, Instance) else owner
    places = [owner.frame if isinstance(owner, Module) else owner, *(klass.mro if isinstance(klass, Klass) else [])]
    names = [n for p in places if isinstance(p, Object) for n in p.fields]
    return [n for n in dict.fromkeys(names) if isinstance(n, str) and n.startswith(text)]


_BUILTINS: dict[str, Callable[..., Values]] = {
    "map": Builtins._map, "filter": Builtins._filter, "sorted": Builtins._by_key, "min": Builtins._by_key,
    "max": Builtins._by_key, "list": Builtins._collect, "tuple": Builtins._collect, "set": Builtins._collect,
    "frozenset": Builtins._collect, "iter": Builtins._collect, "aiter": Builtins._collect,
    "reversed": Builtins._collect, "dict": Builtins._dict, "zip": Builtins._pairs, "enumerate": Builtins._pairs,
    "next": Builtins._advance, "anext": Builtins._advance, "any": Builtins._consume, "all": Builtins._consume,
    "sum": Builtins._consume, "getattr": Builtins._getattr, "setattr": Builtins._setattr, "vars": Builtins._names,
    "globals": Builtins._names, "locals": Builtins._names, "type": Builtins._type, "super": Builtins._super,
    "property": Builtins._descriptor, "staticmethod": Builtins._descriptor, "classmethod": Builtins._descriptor,
    "eval": Builtins._run_text, "exec": Builtins._run_text, "__import__": Builtins._import_text,
}  # fmt: skip
