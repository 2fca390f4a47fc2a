"""Functions that are entered without being named."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import Edges, edges_of
from tracer.graph.uses import Uses
from tracer.graph.world import World


def _edges(w: World) -> set[tuple[str, str, str]]:
    return {(e.source, e.target, e.kind) for e in edges_of(w) if e.basis != "unresolved"}


def _lazily(w: World, source: str) -> set[tuple[str, str, str]]:
    edges = Edges(Uses(w))
    found = (edges.edge(link) for sym in w.functions(source) for link in edges.out_of(sym))
    return {(e.source, e.target, e.kind) for e in found if e.basis != "unresolved"}


PROPERTY = world(
    a_py="""
    class Base:
        @property
        def size(self):
            return 1

        @size.setter
        def size(self, n):
            self.n = n

    class Part(Base):
        @property
        def size(self):
            return 2

    class Whole:
        def __init__(self):
            self.base = Base()
            self.plain = 1

    def go(w: Whole):
        return w.base.size + w.plain

    def deep(w: Whole):
        w.base.size.bit_length()
    """
)


def test_reading_a_property_enters_its_getter_and_those_of_subclasses() -> None:
    expected = {("a.go", "a.Base.size", "call"), ("a.go", "a.Part.size", "dynamic")}
    assert expected <= _edges(PROPERTY)
    assert expected <= _lazily(PROPERTY, "go")


def test_a_property_before_a_called_method_is_read_too() -> None:
    assert ("a.deep", "a.Base.size", "call") in _edges(PROPERTY)


def test_a_plain_field_of_a_propertys_name_elsewhere_is_none() -> None:
    w = world(
        a_py="""
        class A:
            @property
            def size(self):
                return 1

        class B:
            def __init__(self):
                self.size = 3

        def go(b: B):
            return b.size
        """
    )
    assert not {e for e in _edges(w) if e[0] == "a.go"}


DECORATED = world(
    deco_py="""
    import functools

    def locked(fn):
        @functools.wraps(fn)
        def wrapper(*args):
            return fn(*args)
        return wrapper

    def named(name):
        def decorator(fn):
            def inner(*args):
                return fn(*args)
            return inner
        return decorator

    def marked(fn):
        fn.mark = True
        return fn
    """,
    a_py="""
    from deco import locked, marked, named

    class Store:
        @locked
        def put(self):
            pass

        @named("x")
        @locked
        def get(self):
            pass

        @marked
        def drop(self):
            pass

    def go(s: Store):
        s.put()
        s.get()
        s.drop()
    """,
)


def test_a_decorated_function_is_entered_through_its_wrapper() -> None:
    expected = {
        ("a.go", "deco.locked.wrapper", "call"),
        ("deco.locked.wrapper", "a.Store.put", "callback"),
    }
    assert expected <= _edges(DECORATED)
    assert ("deco.locked.wrapper", "a.Store.put", "callback") in _lazily(DECORATED, "locked.wrapper")


def test_of_several_wrappers_the_outermost_is_entered_first() -> None:
    assert {
        ("a.go", "deco.named.decorator.inner", "call"),
        ("deco.named.decorator.inner", "deco.locked.wrapper", "callback"),
        ("deco.locked.wrapper", "a.Store.get", "callback"),
    } <= _edges(DECORATED)


def test_a_decorator_that_gives_back_its_argument_wraps_nothing() -> None:
    assert {t for s, t, _ in _edges(DECORATED) if s == "a.go" and "marked" in t} == set()


def test_a_wrapper_given_back_in_disguise() -> None:
    w = world(
        a_py="""
        from typing import Any, cast

        def safe(fn):
            def wrapper(*args):
                return fn(*args)
            def other():
                pass
            return cast(Any, wrapper)

        @safe
        def work():
            pass

        def go():
            work()
        """
    )
    assert {t for s, t, _ in _edges(w) if s == "a.go"} == {"a.work", "a.safe.wrapper"}


def test_the_ends_of_a_with_and_what_follows_a_constructor() -> None:
    w = world(
        a_py="""
        from dataclasses import dataclass

        class Guard:
            def __enter__(self):
                return self

            def __exit__(self, *args):
                pass

        @dataclass
        class Key:
            text: str

            def __post_init__(self):
                pass

        def go():
            with Guard():
                Key("a")
        """
    )
    assert {
        ("a.go", "a.Guard.__enter__", "call"),
        ("a.go", "a.Guard.__exit__", "call"),
        ("a.go", "a.Key.__post_init__", "call"),
    } <= _edges(w)


def test_a_module_that_answers_for_names_it_does_not_have() -> None:
    w = world(
        envs_py="""
        REAL = 1

        def known():
            pass

        def __getattr__(name):
            return name
        """,
        a_py="""
        import envs

        def go():
            return envs.LAZY

        def plain():
            envs.known()

        def late():
            from envs import current
        """,
    )
    found = {(s, t) for s, t, _ in _edges(w) if t == "envs.__getattr__"}
    assert found == {("a.go", "envs.__getattr__"), ("a.late", "envs.__getattr__")}


def test_a_method_does_not_see_its_classs_names() -> None:
    w = world(
        helpers_py="def rope(config):\n    pass\n",
        a_py="""
        from helpers import rope

        class Config:
            @property
            def rope(self):
                return rope(self)
        """,
    )
    assert ("a.Config.rope", "helpers.rope", "call") in _edges(w)


def test_a_decorator_that_is_declared_as_callable_is_looked_into() -> None:
    w = world(
        a_py="""
        from collections.abc import Callable
        from typing import TypeVar

        F = TypeVar("F", bound=Callable)

        def traced(name: str | None = None) -> Callable[[F], F]:
            def deco(func: F) -> F:
                def wrapper(*args):
                    return func(*args)
                return wrapper
            return deco

        class Part:
            @traced()
            def work(self):
                return 1

        def use():
            Part().work()
    """
    )
    found = _edges(w)
    assert ("a.use", "a.traced.deco.wrapper", "call") in found
    assert ("a.traced.deco.wrapper", "a.Part.work", "callback") in found
