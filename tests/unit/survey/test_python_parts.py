"""The survey of Python: definitions, fields, calls, marks, imports and texts of small invented files."""

from __future__ import annotations

import pytest

from tests.unit.survey.python_facts import in_method, survey
from tracer.survey.facts import Access, Arg, Call, Definition, Field, FileFacts, Import, Mark, Param


def calls(facts: FileFacts) -> list[tuple[str, str]]:
    return [(c.callee, c.how) for c in facts.calls]


# -- fields and definitions ----------------------------------------------------------------------------------------


def test_fields_of_classes_enums_and_modules() -> None:
    facts = survey("""
        LIMIT = 4
        table: dict[str, "Row"] = {}
        a, b = f()
        @dataclass
        class Row:
            key: "Key"
            n: int = 0
            parts: list[int] = field(default_factory=list)
            box: Box = field(default_factory=lambda: Box(3))
            same = other
            def fill(self, v):
                self.v: int = v
                self.w = v or W()
        class Color(str, Enum):
            RED = "r"
            BLUE = auto()
        """)
    assert facts.fields == (
        Field(-1, "LIMIT", "", "#int", "4", 1, "module"),
        Field(-1, "table", "dict[str, Row]", "#dict", "{}", 2, "module"),
        Field(-1, "a", "", "f()[0]", "", 3, "module"),
        Field(-1, "b", "", "f()[1]", "", 3, "module"),
        Field(0, "key", "Key", "", "", 6, "class"),
        Field(0, "n", "int", "#int", "0", 7, "class"),
        Field(0, "parts", "list[int]", "list()", "field(default_factory=list)", 8, "class"),
        Field(0, "box", "Box", "Box()", "field(default_factory=lambda: Box(3))", 9, "class"),
        Field(0, "same", "", "other", "other", 10, "class"),
        Field(0, "v", "int", "v", "v", 12, "method"),
        Field(0, "w", "", "v", "v or W()", 13, "method"),
        Field(0, "w", "", "W()", "v or W()", 13, "method"),
        Field(2, "RED", "", "#str", '"r"', 15, "enum"),
        Field(2, "BLUE", "", "auto()", "auto()", 16, "enum"),
    )
    assert facts.binds == ()


def test_fields_are_found_through_whatever_a_method_calls_its_instance() -> None:
    facts = survey("""
        class C:
            @classmethod
            def make(cls):
                cls.one = 1
            def run(this):
                this.two = 2
                def later():
                    this.three = 3
                other.four = 4
            @staticmethod
            def free(x):
                x.five = 5
            def __post_init__(self):
                setattr(self, "six", 6)
        """)
    assert [(f.owner, f.name, f.where) for f in facts.fields] == [
        (0, "one", "method"), (0, "two", "method"), (0, "three", "method"), (0, "six", "init")]


def test_definitions_in_source_order_with_all_their_parts() -> None:
    facts = survey("""
        @register("x", kind=2)
        @final
        class A(Base, Generic[T], metaclass=ABCMeta):
            @property
            def size(self) -> "int": ...
            @abstractmethod
            async def go(self, a, /, b: "B" = D.x, *args: int, c=None, **kw: Any) -> Optional["A"]:
                def inner():
                    yield 1
                class Local: pass
            @staticmethod
            def s(): pass
            @classmethod
            def c(cls): pass
        """)
    assert facts.definitions == (
        Definition("A", "class", 3, 1, 14, -1, ("Base", "Generic[T]"), (), "",
                   ('register("x", kind=2)', "final"), ("abstract",)),
        Definition("A.size", "function", 5, 4, 5, 0, (), (Param("self"),), "int", ("property",), ("property",)),
        Definition("A.go", "function", 7, 6, 10, 0, (), (
            Param("self"), Param("a"), Param("b", "B", "D.x"), Param("args", "int", "", "*"), Param("c", "", "#none"),
            Param("kw", "Any", "", "**")), "Optional[A]", ("abstractmethod",), ("async", "abstract")),
        Definition("A.go.inner", "function", 8, 8, 9, 2, flags=("generator",)),
        Definition("A.go.Local", "class", 10, 10, 10, 2),
        Definition("A.s", "function", 12, 11, 12, 0, decorators=("staticmethod",), flags=("static",)),
        Definition("A.c", "function", 14, 13, 14, 0, (), (Param("cls"),), "", ("classmethod",), ("classmethod",)),
    )


ANNOTATIONS = [
    ("'Foo'", "Foo"), ("Optional['Foo']", "Optional[Foo]"), ("dict[str,int]", "dict[str,int]"),
    ("Literal['a', 'b']", "Literal['a', 'b']"), ("Annotated['T', 'meta']", "Annotated[T, 'meta']"),
    ("dict[\n    str,  # the name\n    'Foo',\n]", "dict[str, Foo]"), ("'a.B | None'", "a.B | None"), ("None", "None"),
    ("Annotated[int, f'x{y}']", "Annotated[int, f'x{y}']"),
]


@pytest.mark.parametrize(("written", "wanted"), ANNOTATIONS, ids=[written for written, _ in ANNOTATIONS])
def test_annotations_lose_the_quotes_of_forward_references_only(written: str, wanted: str) -> None:
    assert survey(f"x: {written}\n").fields[0].annotation == wanted


@pytest.mark.parametrize("base", ["Enum", "enum.IntEnum", "StrEnum", "IntFlag", "MyEnum"])
def test_enums_are_known_by_their_base(base: str) -> None:
    assert survey(f"class E({base}): pass\n").definitions[0].kind == "enum"


# -- calls -------------------------------------------------------------------------------------------------------

CALLS = [
    ("self.a.f(x)", [("self.a.f", "statement")]),
    ("y = g(h())", [("h", ""), ("g", "")]),
    ("a.b().c()", [("a.b", ""), ("a.b().c", "statement")]),
    ("self.m[k].pop(t)", [("self.m[].pop", "statement")]),
    ("self.m[k](t)", [("self.m[]", "statement")]),
    ("with f(), self.g() as h: pass", [("f", "with"), ("self.g", "with")]),
    ("x = Foo()", [("Foo", "")]),
    ("super().go()", [("super", ""), ("super().go", "statement")]),
    ("pool.submit(lambda: self.done(q))", [("self.done", ""), ("pool.submit", "statement")]),
    ("getattr(self, 'go')()", [("getattr", ""), ("self.go", "statement")]),
    ("type(self)(1)", [("type", ""), ("self.__class__", "statement")]),
    ("(f or self.g)(x)", [("f", "statement"), ("self.g", "statement")]),
    ("x = [f(y) for y in g()]", [("g", ""), ("f", "")]),
    ("raise E(f())", [("f", ""), ("E", "")]),
    ("x = f'{a.b()}'", [("a.b", "")]),
    ("del d[f()]", [("f", "")]),
    ("d[f()] += g()", [("g", ""), ("f", "")]),
    ("x, y = f(), cast(T, g())", [("f", ""), ("g", ""), ("cast", "")]),
    ("return f()", [("f", "")]),
]


@pytest.mark.parametrize(("body", "wanted"), CALLS, ids=[body for body, _ in CALLS])
def test_each_call_is_one_fact(body: str, wanted: list[tuple[str, str]]) -> None:
    assert calls(in_method(body)) == wanted


def test_arguments_keep_path_and_text() -> None:
    facts = in_method("""
        f(x, self.a.b, 'key one', *rest, n=1 + 2, cb=partial(self.go, 1),
          msg=f"{x}: {self.y}", **kw)
        """)
    call = facts.calls[-1]
    assert (call.callee, call.line, call.last) == ("f", 3, 4)
    assert call.args == (
        Arg("", "x", "x"), Arg("", "self.a.b", "self.a.b"), Arg("", "#str", "key one"), Arg("*", "rest", "*rest"),
        Arg("n", "?", "1 + 2"), Arg("cb", "self.go", "partial(self.go, 1)"), Arg("msg", "#str", "{x}: {self.y}"),
        Arg("**", "kw", "kw"))


def test_awaited_calls_and_decorators_say_so() -> None:
    facts = survey("""
        class C:
            @cache
            @retry(times=N.x)
            async def f(self):
                await self.g()
                x = await h(k)
        """)
    assert facts.calls == (
        Call(0, "cache", 2, 2, (), "decorator"),
        Call(0, "retry", 3, 3, (Arg("times", "N.x", "N.x"),), "decorator"),
        Call(1, "self.g", 5, 5, (), "await"),
        Call(1, "h", 6, 6, (Arg("", "k", "k"),), "await"),
    )


def test_defaults_belong_to_the_enclosing_scope() -> None:
    facts = survey("def f(x=g(), *, y=A.b):\n    h()\n")
    assert [(c.callee, c.scope) for c in facts.calls] == [("g", -1), ("h", 0)]
    assert facts.accesses == (Access(-1, "A.b", "read", 1, 1),)


# -- marks and imports ---------------------------------------------------------------------------------------------


def test_marks_of_statements_that_end_or_leave() -> None:
    facts = survey("""
        def f(xs):
            for x in xs:
                if x: continue
                break
            try:
                assert x, "no"
                yield x
                raise E(
                    "late",
                ) from None
            except (A, b.C) as e:
                raise
            except:
                return g(
                    x)
            return
        """)
    assert facts.marks == (
        Mark(0, "continue", 3, 3, "continue"), Mark(0, "break", 4, 4, "break"),
        Mark(0, "assert", 6, 6, 'assert x, "no"'), Mark(0, "yield", 7, 7, "yield x"),
        Mark(0, "raise", 8, 10, 'raise E("late") from None'), Mark(0, "except", 11, 12, "except (A, b.C) as e"),
        Mark(0, "raise", 12, 12, "raise"), Mark(0, "except", 13, 15, "except"),
        Mark(0, "return", 14, 15, "return g(x)"), Mark(0, "return", 16, 16, "return"))


def test_imports_with_their_scope() -> None:
    facts = survey("""
        import a.b, c as d
        from ..x import y as z, w
        from . import q
        from m import *
        if TYPE_CHECKING:
            from t import T
        def f():
            from late import L
        """)
    assert facts.imports == (
        Import(-1, "a", "a.b", "", 0, 1), Import(-1, "d", "c", "", 0, 1), Import(-1, "z", "x", "y", 2, 2),
        Import(-1, "w", "x", "w", 2, 2), Import(-1, "q", "", "q", 1, 3), Import(-1, "*", "m", "*", 0, 4),
        Import(-1, "T", "t", "T", 0, 6), Import(0, "L", "late", "L", 0, 8))


# -- texts -------------------------------------------------------------------------------------------------------


def test_texts_are_cut_and_on_one_line() -> None:
    facts = in_method("self.x = f(\n    a,  # why '#' not\n    '#b',\n)\nself.y = '" + "z" * 300 + "'")
    assert facts.accesses[0].text == "f(a, '#b')"
    assert len(facts.accesses[1].text) == 160 and facts.accesses[1].text.endswith("…")
    assert [len(f.text) for f in facts.fields] == [10, 120]


def test_columns_count_bytes_but_texts_do_not() -> None:
    facts = in_method("s = '缓存'; self.x = g('命中', y)")
    assert facts.accesses[0].text == "g('命中', y)"
    assert facts.calls[0].args == (Arg("", "#str", "命中"), Arg("", "y", "y"))
