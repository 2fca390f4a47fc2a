"""What a name can hold: functions, classes, instances, containers, constants, and what lies outside the program.

A set of them is what an expression may evaluate to. `OPAQUE` stands for anything that is not followed (a number that
was computed, a line of a file); an empty set means that nothing reached the place. Objects have *fields*, which only
the store (`store.py`) changes.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

_numbers = itertools.count()


class Value:
    """One thing that a name can hold; equal only to itself. `order` makes every walk over a set the same each time."""

    __slots__ = ("order",)

    def __init__(self) -> None:
        self.order = next(_numbers)


Values = frozenset[Value]
NOTHING: Values = frozenset()


class Marker(Value):
    """A value without content."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


OPAQUE = Marker("something that is not followed")
MAYBE = Marker("or not set at all")
UNKNOWN: Values = frozenset([OPAQUE])


class Const(Value):
    """A literal; equal to another of the same type and content."""

    __slots__ = ("key", "value")

    def __init__(self, value: Hashable) -> None:
        super().__init__()
        self.value = value
        self.key = (type(value), value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Prefix(Value):
    """A text of which only the beginning is known."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class Object(Value):
    """Something with fields. `many`: it stands for several things at run time, so that a write cannot replace."""

    __slots__ = ("fields", "many")

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[Hashable, Values | None] = {}
        self.many = False


class Frame(Object):
    """The variables of a module, a class body, one call of a function, or a comprehension.

    `scope` prefixes the names of what is defined in it, `caller` is whom its calls are counted for.
    """

    __slots__ = (
        "caller", "declared", "exact", "function", "iteration", "kind", "klass", "module", "nesting", "parent",
        "returns", "scope", "stars", "trying", "yielded", "yields",
    )  # fmt: skip

    def __init__(self, kind: str, scope: str, caller: str, parent: Frame | None, module: Module | None = None) -> None:
        super().__init__()
        self.kind, self.scope, self.caller, self.parent = kind, scope, caller, parent
        self.module: Module | None = module or (parent.module if parent else None)
        self.function: Function | None = None
        self.klass: Klass | None = None
        self.declared: dict[str, str] = {}  # names declared global or nonlocal
        self.stars: list[str] = []  # modules outside the program whose every name was imported
        self.exact = False  # every value of its parameters is known: one call, not many joined
        self.iteration: tuple[int, ...] = ()  # which turn of the unrolled loops
        self.nesting = 0  # branches and loops around the statement that runs
        self.trying = 0  # `try` bodies around it
        self.returns: Values = NOTHING
        self.yields: Values = NOTHING
        self.yielded: list[Values] | None = []  # each value yielded, in order; None once the order is lost

    def owner(self) -> Frame:
        """The frame of the function, class or module: comprehensions have none of their own for `yield` and `:=`."""
        frame = self
        while frame.kind == "comprehension" and frame.parent is not None:
            frame = frame.parent
        return frame


class Module(Object):
    """A module of the program; `frame` has its names."""

    __slots__ = ("frame", "name", "package")

    def __init__(self, name: str, package: str) -> None:
        super().__init__()
        self.name, self.package = name, package
        self.frame = Frame("module", name, name, None, self)


class Function(Object):
    """A function or lambda, closed over the frame that it was made in."""

    __slots__ = ("defaults", "frame", "keyword_defaults", "name", "node")

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str, frame: Frame) -> None:
        super().__init__()
        self.node, self.name, self.frame = node, name, frame
        self.defaults: list[Values] = []
        self.keyword_defaults: list[Values | None] = []


class Klass(Object):
    """A class of the program. `order_of_bases` is its method resolution order, itself first."""

    __slots__ = ("annotated", "frame", "instances", "is_data", "is_enum", "metaclass", "mro", "name", "node")

    def __init__(self, name: str, node: ast.AST, frame: Frame) -> None:
        super().__init__()
        self.name, self.node, self.frame = name, node, frame
        self.mro: list[Value] = [self]
        self.metaclass: Klass | None = None
        self.annotated: list[str] = []
        self.is_data = False
        self.is_enum = False
        self.instances: list[Instance] = []


class Instance(Object):
    """An instance, told apart by where it was made."""

    __slots__ = ("klass",)

    def __init__(self, klass: Klass) -> None:
        super().__init__()
        self.klass = klass


class Container(Object):
    """A list, tuple, set, dict, iterator or generator: elements by key where the key is known, else under `ANY`."""

    __slots__ = ("kind", "source")

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.source: Values = NOTHING  # a default factory, or what a generator returns


class External(Value):
    """Something outside the program by its dotted name; `instance`: an instance of the class of that name."""

    __slots__ = ("instance", "name")

    def __init__(self, name: str, instance: bool = False) -> None:
        super().__init__()
        self.name, self.instance = name, instance


class Builtin(Value):
    """A built-in function or class."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class Bound(Value):
    """A function with its receiver."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Value, receiver: Value) -> None:
        super().__init__()
        self.function, self.receiver = function, receiver


class Method(Value):
    """A method that the program does not define, of a value that is followed (`list.append`, `str.join`)."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Value, name: str) -> None:
        super().__init__()
        self.receiver, self.name = receiver, name


class Descriptor(Value):
    """staticmethod, classmethod, property, field (of a dataclass), or a decorator that gives back its argument."""

    __slots__ = ("inner", "kind", "setter")

    def __init__(self, kind: str, inner: Values, setter: Values = NOTHING) -> None:
        super().__init__()
        self.kind, self.inner, self.setter = kind, inner, setter


class Partial(Value):
    """A callable with some of its arguments; `kind` names the operation where it is no plain `functools.partial`."""

    __slots__ = ("arguments", "inner", "kind")

    def __init__(self, inner: Values, arguments: Arguments, kind: str = "partial") -> None:
        super().__init__()
        self.inner, self.arguments, self.kind = inner, arguments, kind


class Super(Value):
    """`super()`: look-up for `receiver` starts after `owner`."""

    __slots__ = ("owner", "receiver")

    def __init__(self, owner: Klass, receiver: Value) -> None:
        super().__init__()
        self.owner, self.receiver = owner, receiver


class Later(Value):
    """A name of a module that is still being imported."""

    __slots__ = ("module", "name")

    def __init__(self, module: Module, name: str) -> None:
        super().__init__()
        self.module, self.name = module, name


@dataclass(slots=True)
class Arguments:
    """What a call passes. `rest` and `rest_keywords` are values at unknown positions and under unknown names."""

    positional: list[Values] = field(default_factory=list)
    keywords: dict[str, Values] = field(default_factory=dict)
    rest: Values | None = None
    rest_keywords: Values | None = None

    def after(self, first: Arguments) -> Arguments:
        """These arguments behind those that were given `first`."""
        rest = None if first.rest is None and self.rest is None else (first.rest or NOTHING) | (self.rest or NOTHING)
        return Arguments(
            [*first.positional, *self.positional],
            {**first.keywords, **self.keywords},
            rest,
            self.rest_keywords if first.rest_keywords is None else first.rest_keywords,
        )

    def behind(self, receiver: Value) -> Arguments:
        """These arguments behind a receiver."""
        return Arguments([frozenset([receiver]), *self.positional], self.keywords, self.rest, self.rest_keywords)

    def at(self, position: int, name: str = "") -> Values:
        """What is passed at a position or under a name; nothing if neither."""
        if position < len(self.positional):
            return self.positional[position]
        return self.keywords.get(name) or self.rest or NOTHING


def one(value: Value) -> Values:
    """The set of just `value`."""
    return frozenset([value])


def constant(value: Any) -> Values:
    """The set of one literal."""
    return frozenset([Const(value)])


def ordered(values: Iterable[Value]) -> list[Value]:
    """The values in the order in which they were made."""
    return sorted(values, key=_order)


def union(sets: Iterable[Values | None]) -> Values:
    """All values of all sets."""
    filled = [s for s in sets if s]
    return filled[0] if len(filled) == 1 else NOTHING.union(*filled)


_order = operator.attrgetter("order")


def literals(values: Values, most: int = 8) -> list[Hashable] | None:
    """The literals that `values` can be; None where it can be anything else, or too many."""
    found = ordered(values - {MAYBE})
    if not found or len(found) > most or not all(isinstance(v, Const) for v in found):
        return None
    return [v.value for v in found if isinstance(v, Const)]
