"""The survey of Python: changes of state, reads and binds, each small body with exactly the facts it must give."""

from __future__ import annotations

import pytest

from tests.unit.survey.python_facts import in_method, survey
from tracer.survey.facts import Access, Bind, Field, FileFacts


def changes(facts: FileFacts) -> list[tuple[str, str, str, str]]:
    return [(a.op, a.target, a.value, a.text) for a in facts.accesses if a.op != "read"]


def reads(facts: FileFacts) -> list[str]:
    return [a.target for a in facts.accesses if a.op == "read"]


def binds(facts: FileFacts) -> list[tuple[str, str]]:
    return [(b.name, b.value) for b in facts.binds]


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
    ("x = self.g if c else self.f\nself.f = x + 1", [("augment+", "self.f", "#int", "1")]),
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
