"""The survey of Python: small invented files and exactly the facts they must give."""

from __future__ import annotations

import gc
import sys
import textwrap
import time

import msgspec
import pytest

from tracer.survey.facts import Access, Arg, Bind, Call, Definition, Field, FileFacts, Import, Mark, Param
from tracer.survey.python import survey_python


def survey(code: str) -> FileFacts:
    facts = survey_python(textwrap.dedent(code).lstrip("\n").encode())
    assert facts.problem == ""
    return facts


def in_method(body: str, name: str = "step", params: str = "self") -> FileFacts:
    """The facts of a method body (scope 1); its first line is line 3."""
    lines = textwrap.dedent(body).strip("\n")
    return survey(f"class C:\n    def {name}({params}):\n" + textwrap.indent(lines, " " * 8))


def changes(facts: FileFacts) -> list[tuple[str, str, str, str]]:
    return [(a.op, a.target, a.value, a.text) for a in facts.accesses if a.op != "read"]


def reads(facts: FileFacts) -> list[str]:
    return [a.target for a in facts.accesses if a.op == "read"]


def binds(facts: FileFacts) -> list[tuple[str, str]]:
    return [(b.name, b.value) for b in facts.binds]


def calls(facts: FileFacts) -> list[tuple[str, str]]:
    return [(c.callee, c.how) for c in facts.calls]


# -- changes of state --------------------------------------------------------------------------------------------

CHANGES = [
    ("self.x = v", [("write", "self.x", "v", "v")]),
    ("self.a.b = f(1)", [("write", "self.a.b", "f()", "f(1)")]),
    ("x.y = None", [("write", "x.y", "#none", "None")]),
    ("self.x = a or B()", [("write", "self.x", "a", "a or B()"), ("write", "self.x", "B()", "a or B()")]),
    ("self.x: int = 3", [("write", "self.x", "#int", "3")]),
    ("self.x: int", []),
    ("x = 1", []),
    # up and down
    ("self.n += 1", [("augment+", "self.n", "#int", "1")]),
    ("self.n -= len(q)", [("augment-", "self.n", "len()", "len(q)")]),
    ("self.n += -1", [("augment-", "self.n", "#int", "-1")]),
    ("self.n *= 2", [("augment", "self.n", "#int", "2")]),
    ("self.f = self.f + 1", [("augment+", "self.f", "#int", "1")]),
    ("self.f = 1 + self.f", [("augment+", "self.f", "#int", "1")]),
    ("self.f = self.f - n", [("augment-", "self.f", "n", "n")]),
    ("self.f = n - self.f", [("write", "self.f", "?", "n - self.f")]),
    ("self.f = self.g + 1", [("write", "self.f", "?", "self.g + 1")]),
    ("self.f = max(self.f, n)", [("write", "self.f", "max()", "max(self.f, n)")]),
    ("self.f = max(0, self.f - 1)", [("augment-", "self.f", "#int", "1")]),
    ("x = self.f\nself.f = x + 1", [("augment+", "self.f", "#int", "1")]),
    ("x = self.g\nself.f = x + 1", [("write", "self.f", "?", "x + 1")]),
    ("x = self.f - 1\nself.f = x", [("augment-", "self.f", "#int", "1")]),
    ("x = self.f\nx += 2\nself.f = x", [("augment+", "self.f", "#int", "2")]),
    ("n += 1", []),
    ("d[k] += 1", [("augment+", "d", "#int", "1")]),
    ("self.d[k] -= n", [("augment-", "self.d", "n", "n")]),
    ("self.d[a][b] += 1", [("augment+", "self.d[]", "#int", "1")]),
    ("d[k] = d[k] + 1", [("augment+", "d", "#int", "1")]),
    ("d[k] = d[j] + 1", [("insert", "d", "?", "d[j] + 1")]),
    ("d[k] = d.get(k, 0) - 1", [("augment-", "d", "#int", "1")]),
    ("n = d[k]\nd[k] = n + 1", [("augment+", "d", "#int", "1")]),
    # into containers
    ("self.d[k] = v", [("insert", "self.d", "v", "v")]),
    ("x[a][b] = v", [("insert", "x[]", "v", "v")]),
    ("x['k']['j'] = v", [("insert", "x['k']", "v", "v")]),
    ("self.s |= more", [("insert", "self.s", "more", "more")]),
    ("self.xs += [y]", [("insert", "self.xs", "#list", "[y]")]),
    ("self.xs = self.xs + [y]", [("insert", "self.xs", "#list", "[y]")]),
    ("self.s = self.s | {y}", [("insert", "self.s", "#set", "{y}")]),
    ("xs += [y]", [("insert", "xs", "#list", "[y]")]),
    ("s |= t", [("insert", "s", "t", "t")]),
    ("self.d[k] |= t", [("insert", "self.d[]", "t", "t")]),
    ("self.d[k] += [y]", [("insert", "self.d[]", "#list", "[y]")]),
    ("self.s -= t", [("augment-", "self.s", "t", "t")]),
    ("self.s &= t", [("augment", "self.s", "t", "t")]),
    ("self.q.append(f(x))", [("insert", "self.q", "f()", "f(x)")]),
    ("self.q.put((a, b), timeout=1)", [("insert", "self.q", "#tuple", "(a, b), timeout=1")]),
    ("self.d.setdefault(k, []).append(v)", [
        ("insert", "self.d", "k", "k, []"), ("insert", "self.d.setdefault()", "v", "v")]),
    ("self.m[k].add(x.y)", [("insert", "self.m[]", "x.y", "x.y")]),
    ("xs.extend(ys)", [("insert", "xs", "ys", "ys")]),
    ("heapq.heappush(self.heap, (n, r))", [("insert", "self.heap", "#tuple", "(n, r)")]),
    ("(a or self.b).add(v)", [("insert", "a", "v", "v"), ("insert", "self.b", "v", "v")]),
    # out of containers
    ("del self.d[k]", [("remove", "self.d", "k", "k")]),
    ("del d[k], self.e[x.y]", [("remove", "d", "k", "k"), ("remove", "self.e", "x.y", "x.y")]),
    ("del self.x", [("remove", "self.x", "", "")]),
    ("del x", []),
    ("del xs[:]", [("clear", "xs", "", "")]),
    ("del xs[:n]", [("remove", "xs", "", ":n")]),
    ("self.map[k].pop(t)", [("remove", "self.map[]", "t", "t")]),
    ("self.q.popleft()", [("remove", "self.q", "", "")]),
    ("r = heapq.heappop(self.heap)", [("remove", "self.heap", "", "")]),
    # emptied
    ("self.d.clear()", [("clear", "self.d", "", "")]),
    ("self.d = {}", [("clear", "self.d", "#dict", "{}")]),
    ("self.d = []", [("clear", "self.d", "#list", "[]")]),
    ("self.d = set()", [("clear", "self.d", "set()", "set()")]),
    ("self.d = dict()", [("clear", "self.d", "dict()", "dict()")]),
    ("self.d = dict[str, int]()", [("clear", "self.d", "dict[]()", "dict[str, int]()")]),
    ("self.d = c.deque(maxlen=n)", [("clear", "self.d", "c.deque()", "c.deque(maxlen=n)")]),
    ("self.d = defaultdict(list)", [("clear", "self.d", "defaultdict()", "defaultdict(list)")]),
    ("self.d = OrderedDict()", [("clear", "self.d", "OrderedDict()", "OrderedDict()")]),
    ("self.d = Pool()", [("write", "self.d", "Pool()", "Pool()")]),
    ("self.d = set(xs)", [("write", "self.d", "set()", "set(xs)")]),
    ("self.d = {k: v}", [("write", "self.d", "#dict", "{k: v}")]),
    ("xs[:] = []", [("clear", "xs", "#list", "[]")]),
    ("self.d[k] = []", [("insert", "self.d", "#list", "[]")]),
    ("a, self.b = self.b, {}", [("clear", "self.b", "#dict", "{}")]),
    ("self.a, self.b = f()", [("write", "self.a", "f()[0]", ""), ("write", "self.b", "f()[1]", "")]),
    # by name
    ("setattr(x, 'n', v)", [("write", "x.n", "v", "v")]),
    ("object.__setattr__(self, 'n', v)", [("write", "self.n", "v", "v")]),
    ("setattr(x, n, v)", []),
    ("delattr(x, 'n')", [("remove", "x.n", "", "")]),
    # not state
    ("''.join(x).add(y)", []),
    ("(a + b).add(y)", []),
]


@pytest.mark.parametrize(("body", "wanted"), CHANGES, ids=[body for body, _ in CHANGES])
def test_each_change_of_state_is_one_fact(body: str, wanted: list[tuple[str, str, str, str]]) -> None:
    assert changes(in_method(body)) == wanted


def test_a_module_is_no_container() -> None:
    code = "import os\nfrom pools import live\n\ndef f(p):\n    os.remove(p)\n    live.remove(p)\n"
    assert changes(survey(code)) == [("remove", "live", "p", "p")]


def test_an_empty_container_in_the_constructor_is_a_field_and_no_access() -> None:
    facts = in_method("self.d = {}\nself.n = 0\nself.other.d = {}", name="__init__")
    assert changes(facts) == [("write", "self.n", "#int", "0"), ("clear", "self.other.d", "#dict", "{}")]
    assert facts.fields == (
        Field(0, "d", "", "#dict", "{}", 3, "init"),
        Field(0, "n", "", "#int", "0", 4, "init"),
    )


def test_a_change_says_where_it_starts_and_where_its_statement_ends() -> None:
    facts = in_method("self.d[k] = f(\n    a,\n    b,\n)")
    assert facts.accesses == (Access(1, "self.d", "insert", 3, 6, "f()", "f(a, b)"),)


# -- reads -------------------------------------------------------------------------------------------------------

READS = [
    ("f(self.a.b)", ["self.a.b"]),
    ("self.a.b()", []),
    ("self.a.b().c", ["self.a.b().c"]),
    ("x = self.a[k]", ["self.a"]),
    ("x = self.a[self.k].c", ["self.k", "self.a[].c"]),
    ("self.map[self.k].pop(t)", ["self.k"]),
    ("self.n += 1", []),
    ("self.f = self.f + 1", ["self.f"]),
    ("x = y", []),
    ("(a + b).c", []),
    ("'s'.join", []),
    ("with self.lock: pass", ["self.lock"]),
    ("for x in self.xs: pass", ["self.xs"]),
    ("f(cb=self.done)", ["self.done"]),
    ("print(f'{self.a} {self.b:>{self.w}}')", ["self.a", "self.b", "self.w"]),
    ("x = getattr(self, 'n')", ["self.n"]),
    ("x = getattr(self, 'n', None)", ["self.n"]),
    ("x = getattr(self, n)", []),
    ("x = [b.ref for b in self.bs if b.ok]", ["self.bs", "b.ok", "b.ref"]),
    ("x = lambda: self.a", ["self.a"]),
    ("x: Foo.Bar = self.z", ["self.z"]),
    ("(a or b).c", ["a.c", "b.c"]),
    ("x = self.a[1:self.n]", ["self.a", "self.n"]),
]


@pytest.mark.parametrize(("body", "wanted"), READS, ids=[body for body, _ in READS])
def test_reads_are_maximal_attribute_paths_and_no_callees(body: str, wanted: list[str]) -> None:
    assert reads(in_method(body)) == wanted


TESTS = [
    ("if self.n == 0 and x: pass", [("self.n", "#int", "self.n == 0 and x")]),
    ("if self.on: pass", [("self.on", "", "self.on")]),
    ("while not self.q: pass", [("self.q", "", "not self.q")]),
    ("assert self.n > m, self.why", [("self.n", "m", "self.n > m")]),
    ("x = a if self.on else b", [("self.on", "", "self.on")]),
    ("x = k in self.d", [("self.d", "k", "k in self.d")]),
    ("x = r.state == State.DONE", [("r.state", "State.DONE", "r.state == State.DONE"),
                                   ("State.DONE", "r.state", "r.state == State.DONE")]),
    ("if self.d[k].n > 1: pass", [("self.d[].n", "#int", "self.d[k].n > 1")]),
    ("if self.d[k] > 1: pass", [("self.d", "#int", "self.d[k] > 1")]),
    ("x = [b for b in bs if b.n < 1]", [("b.n", "#int", "b.n < 1")]),
    ("if f(self.n): pass", [("self.n", "", "f(self.n)")]),
    ("match self.s:\n    case S.A: pass", [("self.s", "", "self.s"), ("S.A", "self.s", "self.s")]),
]


@pytest.mark.parametrize(("body", "wanted"), TESTS, ids=[body for body, _ in TESTS])
def test_reads_in_tests_carry_the_test_and_what_they_are_compared_with(
    body: str, wanted: list[tuple[str, str, str]]
) -> None:
    found = [(a.target, a.value, a.text) for a in in_method(body).accesses if a.test]
    assert found == wanted


def test_a_read_outside_of_tests_is_not_marked() -> None:
    facts = in_method("if self.a:\n    f(self.b)")
    assert [(a.target, a.test, a.last) for a in facts.accesses] == [("self.a", True, 3), ("self.b", False, 4)]


# -- binds -------------------------------------------------------------------------------------------------------

BINDS = [
    ("x = self.a", [("x", "self.a")]),
    ("x = self.a['k'].b", [("x", "self.a['k'].b")]),
    ("x = self.a[0]", [("x", "self.a[0]")]),
    ("x = self.a[-1]", [("x", "self.a[-1]")]),
    ("x = self.a[i, j]", [("x", "self.a[]")]),
    ("x = self.a[1:]", [("x", "self.a")]),
    ("x = a or b", [("x", "a"), ("x", "b")]),
    ("x = a and b", [("x", "b")]),
    ("x = a.f() if c else None", [("x", "a.f()"), ("x", "#none")]),
    ("x = (a or b).c", [("x", "a.c"), ("x", "b.c")]),
    ("x, y = f()", [("x", "f()[0]"), ("y", "f()[1]")]),
    ("x, (y, z) = f()", [("x", "f()[0]"), ("y", "f()[1][0]"), ("z", "f()[1][1]")]),
    ("x, *y, z = f()", [("x", "f()[0]"), ("y", "f()"), ("z", "f()[-1]")]),
    ("x, y = self.a, g(1)", [("x", "self.a"), ("y", "g()")]),
    ("x = self.y = f()", [("x", "f()"), ("x", "self.y")]),
    ("for x in xs: pass", [("x", "xs[*]")]),
    ("for k, v in d.items(): pass", [("k", "d.items()[*][0]"), ("v", "d.items()[*][1]")]),
    ("for x in list(self.xs): pass", [("x", "self.xs[*]")]),
    ("for i, x in enumerate(self.xs): pass", [("i", "#int"), ("x", "self.xs[*]")]),
    ("for x, y in zip(xs, sorted(ys)): pass", [("x", "xs[*]"), ("y", "ys[*]")]),
    ("for i in range(3): pass", [("i", "#int")]),
    ("for i, (x, y) in enumerate(d.items()): pass", [
        ("i", "#int"), ("x", "d.items()[*][0]"), ("y", "d.items()[*][1]")]),
    ("with f() as x: pass", [("x", "f()")]),
    ("with f() as (x, y): pass", [("x", "f()[0]"), ("y", "f()[1]")]),
    ("try: pass\nexcept E as x: pass", [("x", "<E>")]),
    ("try: pass\nexcept (a.E, F) as x: pass", [("x", "<a.E>"), ("x", "<F>")]),
    ("if (x := f()): pass", [("x", "f()")]),
    ("y = [x for x in xs]", [("x", "xs[*]"), ("y", "#list"), ("y[*]", "x")]),
    ("y = {k: v.w for k, v in d.items()}", [
        ("k", "d.items()[*][0]"), ("v", "d.items()[*][1]"), ("y", "#dict"), ("y[*]", "k"), ("y[]", "v.w")]),
    ("y = sorted(self.xs)", [("y", "sorted()"), ("y[*]", "self.xs[*]")]),
    ("y = [a, b]", [("y", "#list"), ("y[*]", "a"), ("y[*]", "b")]),
    ("return self.x", [("return", "self.x")]),
    ("return a or b", [("return", "a"), ("return", "b")]),
    ("return", []),
    ("yield x.y", [("yield", "x.y")]),
    ("yield from xs", [("yield", "xs[*]")]),
    ("x = cast('list[Block]', y)", [("x", "<list[Block]>")]),
    ("x = typing.cast(Block, y)", [("x", "<Block>")]),
    ("x = getattr(y, 'z')", [("x", "y.z")]),
    ("x = getattr(y, 'z', None)", [("x", "y.z"), ("x", "#none")]),
    ("x = getattr(y, z)", [("x", "getattr()")]),
    ("x = functools.partial(self.f, 1)", [("x", "self.f")]),
    ("x = next(iter(self.d))", [("x", "self.d[*]")]),
    ("x = min(self.xs, key=f)", [("x", "self.xs[*]")]),
    ("x = list(self.d)[0]", [("x", "self.d[*]")]),
    ("x = type(self)", [("x", "self.__class__")]),
    ("x = super().f()", [("x", "super().f()")]),
    ("x = Foo(1)(2)", [("x", "Foo()()")]),
    ("x = a + b", [("x", "?")]),
    ("x = f'{a}'", [("x", "#str")]),
    ("x = -1", [("x", "#int")]),
    ("x = 'a' % b", [("x", "#str")]),
    ("x = [None] * n", [("x", "#list")]),
    ("x = a < b", [("x", "#bool")]),
    ("x = not a", [("x", "#bool")]),
    ("x = 1.5", [("x", "#float")]),
    ("x = b'k'", [("x", "?")]),
    ("x = lambda: 1", [("x", "#lambda")]),
    ("f(lambda r=self.r: r)", [("r", "self.r")]),
    ("match self.s:\n    case [a, b]: pass\n    case P(q=r) as t: pass\n    case {'k': v, **w}: pass", [
        ("a", "self.s[0]"), ("b", "self.s[1]"), ("r", "<P>.q"), ("t", "<P>"), ("v", "self.s[]"), ("w", "self.s")]),
]


@pytest.mark.parametrize(("body", "wanted"), BINDS, ids=[body for body, _ in BINDS])
def test_each_name_is_bound_to_the_path_of_its_value(body: str, wanted: list[tuple[str, str]]) -> None:
    assert binds(in_method(body)) == wanted


def test_awaited_and_annotated_values() -> None:
    facts = survey("async def f():\n    x: 'Foo | None' = await g()\n    async for y in h(): pass\n")
    assert facts.binds == (Bind(0, "x", "g()", "Foo | None", 2), Bind(0, "y", "h()[*]", "", 3))


def test_global_and_nonlocal_names_are_bound_where_they_live() -> None:
    facts = survey("""
        total = 0
        def outer():
            count = 0
            def inner():
                nonlocal count
                global total
                count = 1
                total = count
                total += 1
        """)
    assert facts.binds == (
        Bind(0, "count", "#int", "", 3), Bind(0, "count", "#int", "", 7), Bind(-1, "total", "count", "", 8))
    assert changes(facts) == [
        ("write", "count", "#int", "1"), ("write", "total", "count", "count"), ("augment+", "total", "#int", "1")]


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


# -- files that are hard to read -------------------------------------------------------------------------------------

UNREADABLE = [
    (b'print "a"\n', "line 1: Missing parentheses"),
    (b"x = 1\ndef f(:\n", "line 2: invalid syntax"),
    (b"x = 1\0\n", "null bytes"),
    (b"x = '\xff'\n", "not utf-8"),
    (b"# coding: nosuch\n", "nosuch"),
    (b"# coding: hex\n", "hex"),
    (b"# coding: punycode\nx = 1\n", "punycode"),
    ("x = 1\n".encode("utf-16"), "not utf-8"),
    (b"(" * 5000, "nested"),
    (b"-" * 100000 + b"1", "nested too deeply"),
    (b"a" + b".b" * 100000, "nested too deeply"),
    (b"x = " + b"a if b else " * 5000 + b"c", "nested too deeply"),
]


@pytest.mark.parametrize(("source", "why"), UNREADABLE, ids=[why for _, why in UNREADABLE])
def test_a_file_that_cannot_be_parsed_is_a_problem_of_one_line(source: bytes, why: str) -> None:
    facts = survey_python(source)
    assert why in facts.problem and "\n" not in facts.problem
    assert facts == FileFacts("python", facts.lines, facts.problem)


READABLE = [
    (b"\xef\xbb\xbfx = a.b\n", 1, "a.b"),
    (b"# -*- coding: latin-1 -*-\nx = '\xe9', a.b\n", 2, "a.b"),
    (b"#!/bin/sh\n# vim: set fileencoding=gbk :\nx = '\xb0\xa1', a.b\n", 3, "a.b"),
    (b"x = 1\r\ny = a.b\r\n", 2, "a.b"),
    (b"x = 1\ry = a.b", 2, "a.b"),
    (b"\x0cx = a.b", 1, "a.b"),
    (b"x = a \\\n  .b\n", 2, "a.b"),
]


@pytest.mark.parametrize(("source", "lines", "path"), READABLE, ids=[repr(source) for source, _, _ in READABLE])
def test_encodings_and_line_ends_are_read_as_python_reads_them(source: bytes, lines: int, path: str) -> None:
    facts = survey_python(source)
    assert (facts.problem, facts.lines, reads(facts)) == ("", lines, [path])
    assert facts.accesses[0].line == lines


@pytest.mark.parametrize(("code", "wanted"), [
    ("type Pair = tuple[int, 'Row']\n", Definition("Pair", "alias", 1, 1, 1, returns="tuple[int, Row]")),
    ("class Box[T](Base[T]): pass\n", Definition("Box", "class", 1, 1, 1, bases=("Base[T]",))),
    ("def f[T](x: T) -> T: pass\n", Definition("f", "function", 1, 1, 1, params=(Param("x", "T"),), returns="T")),
])
def test_type_parameters_are_read_where_python_knows_them(code: str, wanted: Definition) -> None:
    facts = survey_python(code.encode())
    if sys.version_info >= (3, 12):
        assert facts.definitions == (wanted,)
    else:
        assert facts.problem.startswith("line 1: ")


def test_an_empty_file_has_no_facts_and_no_problem() -> None:
    assert survey_python(b"") == FileFacts("python", 0)


def test_long_sums_and_ladders_are_not_too_deep() -> None:
    ladder = "if a.b: pass\n" + "elif a.b: pass\n" * 600
    assert len(reads(survey(ladder))) == 601
    assert len(reads(survey("x = " + " + ".join(["a.b"] * 900)))) == 900


def test_lone_surrogates_can_be_stored() -> None:
    facts = survey("f('\\ud800')\nx['\\ud800'] = getattr(a, '\\ud800')\ny: '\\ud800' = 1\n")
    decoded = msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=FileFacts)
    assert decoded == facts and facts.calls[0].args[0].text == "\\ud800"


def test_alternatives_do_not_multiply() -> None:
    facts = survey("x = " + " or ".join(["(a or b).c"] * 400) + "\ny = " + "(" * 60 + "a or b" + ").c or d" * 60)
    assert len(facts.fields) <= 12


def test_the_survey_leaves_the_collector_as_it_was() -> None:
    assert gc.isenabled()
    survey_python(b"x = (\n")
    assert gc.isenabled()


def test_cost_is_linear_in_the_size() -> None:
    def seconds(count: int) -> float:
        method = b"    def f%d(self, x):\n        self.a[x].b = g(x.y)\n"
        source = b"class C:\n" + b"".join(method % i for i in range(count))
        started = time.process_time()
        assert survey_python(source).problem == ""
        return time.process_time() - started

    seconds(100)
    assert seconds(8000) < 12 * max(seconds(2000), 0.02)


@pytest.mark.parametrize("code", [
    "try: pass\nexcept* E as e: f(e.x)\n",
    "async def f():\n    return [x async for x in g() if await h(x)]\n",
    "match x:\n    case 1 | None | {'a': [*b]} if c.d: pass\n    case _: pass\n",
    "def f():\n    x = yield\n    y = await_(x)\n",
    "lambda *a, b=1, **k: (a, b, k)\n",
    "x[..., None, 1:2:3] = y[b'k'] = ...\n",
    "print(*a, sep='', **b)\nprint(**{'a': 1})\n",
    "@(a if b else c)\nclass A(f(x), *bases, **kw): x, y = 1, 2\n",
    "return x\nyield y\nnonlocal z\n",
    "del (a, [b.c, d[e]])\nfor a.b, c[d] in e: pass\n",
    "with (a as b, c() as d.e): pass\nglobal q\nq = 1\n",
])
def test_unusual_syntax_does_not_hurt(code: str) -> None:
    facts = survey(code)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=FileFacts) == facts
