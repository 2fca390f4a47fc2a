"""The parts of the standard library that hand functions on: functools, contextlib, collections, dataclasses, …"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable

from tracer.graph.values.builtins import Builtins
from tracer.graph.values.domain import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Bound,
    Container,
    Descriptor,
    Frame,
    Function,
    Klass,
    Partial,
    Values,
    constant,
    literals,
    one,
    ordered,
    union,
)


class Library(Builtins):
    """`call_external`."""

    def call_external(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call something outside the program: a class gives an instance, a function something not followed."""
        known: Callable[..., Values] | None = _LIBRARY.get(name)
        if known is not None:
            return known(self, name, arguments, site, frame)
        return one(self.outside(name, True)) if name.rsplit(".", 1)[-1][:1].isupper() else UNKNOWN

    def call_getter(self, getter: Partial, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """Call what `operator.attrgetter`, `itemgetter` or `methodcaller` made."""
        owners, given = arguments.at(0), getter.arguments
        if getter.kind == "itemgetter":
            return union(self.item(o, given.at(0), site, frame) for o in ordered(owners))
        found = union(self.attributes(owners, str(n), site, frame) for n in literals(given.at(0)) or [])
        if getter.kind == "attrgetter":
            return found
        return self.call(found, Arguments(given.positional[1:], given.keywords), site, frame)

    def _partial(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        rest = Arguments(arguments.positional[1:], arguments.keywords, arguments.rest, arguments.rest_keywords)
        made = self.value((name, site, frame, frame.iteration), lambda: Partial(NOTHING, rest, name.rsplit(".", 1)[-1]))
        made.inner, made.arguments = arguments.at(0), rest
        return one(made)

    def _getter(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        kind = name.rsplit(".", 1)[-1]
        made = self.value((name, site, frame, frame.iteration), lambda: Partial(NOTHING, arguments, kind))
        made.arguments = arguments
        return one(made)

    def _managed(self, name: str, arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        return one(self.value((name, arguments.at(0)), lambda: Partial(arguments.at(0), Arguments(), "managed")))

    def _dispatch(self, name: str, arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        return one(self.value((name, arguments.at(0)), lambda: Partial(arguments.at(0), Arguments(), "dispatch")))

    def _first(self, _name: str, arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        return arguments.at(0) or UNKNOWN

    def _second(self, _name: str, arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        return arguments.at(1) or UNKNOWN

    def _giving_back(self, _name: str, _arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        return one(self.value(("identity",), lambda: Descriptor("identity", NOTHING)))

    def _cache(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        called = self.callable_part(arguments.at(0))
        return called or self._giving_back(name, arguments, site, frame)

    def _property(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        return self.call_builtin("property", Arguments(arguments.positional[:1]), site, frame)

    def _reduce(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        called = self.callable_part(arguments.at(0))
        every = self.iterate(arguments.at(1), site, frame).every or UNKNOWN
        result = self.call(called, Arguments([arguments.at(2) or every, every]), site, frame)
        if result - every - UNKNOWN:
            result |= self.call(called, Arguments([result, every]), site, frame)
        return result | arguments.at(2)

    def _dataclass(self, name: str, arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        if not arguments.positional:
            return one(self.outside(name))
        for klass in arguments.at(0):
            if isinstance(klass, Klass):
                klass.is_data = True
        return arguments.at(0)

    def _field(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        factory = arguments.keywords.get("default_factory") or arguments.keywords.get("factory")
        if factory is None:
            return arguments.keywords.get("default") or UNKNOWN
        return one(self.value((name, site, frame), lambda: Descriptor("field", factory)))

    def _namedtuple(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        title = literals(arguments.at(0, "typename"), 1)
        node = ast.ClassDef(str(title[0]) if title else "namedtuple", [], [], [], [])
        klass = self.value(("namedtuple", site, frame), lambda: Klass(f"{frame.scope}.{node.name}", node, frame))
        klass.is_data = True
        klass.mro = [klass, self.builtin("tuple")]
        fields = arguments.at(1, "field_names")
        text = literals(fields, 1)
        if text and isinstance(text[0], str):
            klass.annotated = text[0].replace(",", " ").split()
        else:
            names = [literals(v, 1) for v in self.iterate(fields, site, frame).each or []]
            klass.annotated = [str(n[0]) for n in names if n]
        return one(klass)

    def _defaultdict(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        made = self.sequence("defaultdict", [], site, frame)
        self.store.write(made, "<length>", None)
        made.source = self.callable_part(arguments.at(0))
        self._update(made, Arguments(arguments.positional[1:], arguments.keywords), site, frame)
        return one(made)

    def _mapping(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        return self.call_builtin("dict", arguments, site, frame)

    def _deque(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        return self.call_builtin("list", Arguments(arguments.positional[:1]), site, frame)

    def _chain(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        found = [self.iterate(v, site, frame) for v in arguments.positional]
        if name == "itertools.chain.from_iterable":
            found = [self.iterate(f.every, site, frame) for f in found]
        elif found and all(f.each is not None for f in found):
            return one(self.sequence("iterator", [v for f in found for v in f.each or []], site, frame))
        every = union(f.every for f in found) | (arguments.rest or NOTHING)
        return one(self.bag("iterator", every, site, frame))

    def _starmap(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        called, given = self._split(arguments)
        return self.made_of("iterator", self.each_call(called, given[:1], site, frame, spread=True), site, frame)

    def _predicate(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        return self.call_builtin("filter", arguments, site, frame)

    def _accumulate(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        every = self.iterate(arguments.at(0), site, frame).every
        result = self.call(self.callable_part(arguments.at(1, "func")), Arguments([every, every]), site, frame)
        return one(self.bag("iterator", every | result, site, frame))

    def _copy(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        return union(
            self.call_method(v, "copy", Arguments(), site, frame) if isinstance(v, Container) else one(v)
            for v in ordered(arguments.at(0))
        )

    def _holding(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        return one(self.bag("contextmanager", arguments.at(0) or constant(None), (name, site), frame))

    def _entered(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        """`ExitStack.enter_context`: enters now and leaves at the stack's end."""
        prefix = "__a" if name.endswith("async_context") else "__"
        result: Values = NOTHING
        for manager in ordered(arguments.at(0)):
            if isinstance(manager, Container):
                result |= self.iterate(one(manager), site, frame).every
            result |= self.call(self.special(manager, f"{prefix}enter__"), Arguments(), site, frame)
            self.call(self.special(manager, f"{prefix}exit__"), Arguments([UNKNOWN] * 3), site, frame)
        return result or UNKNOWN

    def _import_named(self, _name: str, arguments: Arguments, _site: Hashable, frame: Frame) -> Values:
        package = literals(arguments.at(1, "package"), 1)
        here = frame.module.package if frame.module is not None else ""
        return self.import_by_name(arguments.at(0), str(package[0]) if package and package[0] else here)

    def _method_type(self, _name: str, arguments: Arguments, _site: Hashable, _frame: Frame) -> Values:
        return frozenset(
            self.joint(f, r)
            for f in ordered(arguments.at(0))
            if isinstance(f, Function | Bound | Partial)
            for r in ordered(arguments.at(1))
        )

    def _plain_object(self, name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        node = ast.ClassDef("SimpleNamespace", [], [], [], [])
        klass = self.value(("plain", name), lambda: Klass(name, node, frame))
        made = self.instance(klass, site, frame)
        for key, values in arguments.keywords.items():
            self.store.add(made, key, values)
        return one(made)

    def _exact(self, _name: str, arguments: Arguments, site: Hashable, frame: Frame) -> Values:
        called = arguments.at(0)
        return self.call(called, Arguments(arguments.positional[1:], arguments.keywords), site, frame)


_LIBRARY: dict[str, Callable[..., Values]] = {
    "functools.partial": Library._partial, "functools.partialmethod": Library._partial,
    "functools.wraps": Library._giving_back, "functools.update_wrapper": Library._first,
    "functools.lru_cache": Library._cache, "functools.cache": Library._cache,
    "functools.total_ordering": Library._first, "functools.singledispatch": Library._dispatch,
    "functools.singledispatchmethod": Library._dispatch, "functools.cached_property": Library._property,
    "functools.reduce": Library._reduce, "contextlib.contextmanager": Library._managed,
    "contextlib.asynccontextmanager": Library._managed, "contextlib.ExitStack.enter_context": Library._entered,
    "contextlib.AsyncExitStack.enter_context": Library._entered, "contextlib.ExitStack.callback": Library._exact,
    "contextlib.AsyncExitStack.enter_async_context": Library._entered, "contextlib.closing": Library._holding,
    "contextlib.nullcontext": Library._holding, "abc.abstractmethod": Library._first,
    "abc.abstractproperty": Library._property, "atexit.register": Library._first,
    "dataclasses.dataclass": Library._dataclass, "dataclasses.field": Library._field,
    "attr.s": Library._dataclass, "attr.dataclass": Library._dataclass, "attrs.define": Library._dataclass,
    "attrs.frozen": Library._dataclass, "attr.ib": Library._field, "attrs.field": Library._field,
    "collections.namedtuple": Library._namedtuple, "collections.defaultdict": Library._defaultdict,
    "collections.OrderedDict": Library._mapping, "collections.deque": Library._deque,
    "itertools.chain": Library._chain, "itertools.chain.from_iterable": Library._chain,
    "itertools.cycle": Library._chain, "itertools.islice": Library._deque, "itertools.starmap": Library._starmap,
    "itertools.filterfalse": Library._predicate, "itertools.takewhile": Library._predicate,
    "itertools.dropwhile": Library._predicate, "itertools.accumulate": Library._accumulate,
    "copy.copy": Library._copy, "copy.deepcopy": Library._copy, "importlib.import_module": Library._import_named,
    "typing.cast": Library._second, "typing.final": Library._first, "weakref.proxy": Library._first,
    "asyncio.run": Library._first, "asyncio.create_task": Library._first, "asyncio.ensure_future": Library._first,
    "asyncio.wait_for": Library._first, "asyncio.shield": Library._first,
    "types.MethodType": Library._method_type, "types.SimpleNamespace": Library._plain_object,
    "operator.attrgetter": Library._getter, "operator.itemgetter": Library._getter,
    "operator.methodcaller": Library._getter, "operator.call": Library._exact,
}  # fmt: skip
