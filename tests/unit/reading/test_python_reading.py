from __future__ import annotations

import textwrap

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracer.errors import SourceParseError, UsageError
from tracer.reading import Reading, read


def reading(text: str, first: int = 1, last: int = 0, symbol: str = "case") -> Reading:
    source = textwrap.dedent(text).lstrip("\n")
    return read("python", source.encode(), first, last or len(source.splitlines()), symbol)


def line_of(text: str, mark: str) -> int:
    lines = textwrap.dedent(text).lstrip("\n").splitlines()
    return next(at for at, line in enumerate(lines, 1) if mark in line)


GUARDS = {
    "if": ("def f(a):\n    if a > 1:\n        HERE()", ("if a > 1",)),
    "else": ("def f(a):\n    if a:\n        pass\n    else:\n        HERE()", ("not (a)",)),
    "elif chain": (
        "def f(a, b, c):\n    if a:\n        x()\n    elif b:\n        y()\n    elif c or a:\n        HERE()",
        ("not (a)", "not (b)", "if c or a"),
    ),
    "early return": ("def f(a):\n    if not a:\n        return None\n    HERE()", ("not (not a)",)),
    "early raise in an enclosing block": (
        "def f(a, xs):\n    if a:\n        raise ValueError\n    for x in xs:\n"
        "        HERE()", ("not (a)", "for x in xs"),
    ),
    "early continue": (
        "def f(xs):\n    for x in xs:\n        if x.done:\n            continue\n        HERE()",
        ("for x in xs", "not (x.done)"),
    ),
    "an early exit inside a with": (
        "def f(a, l):\n    with l:\n        if a:\n            return\n    HERE()", ("not (a)",),
    ),
    "an exit on one branch only is none": (
        "def f(a, b):\n    if a:\n        if b:\n            return\n    HERE()", (),
    ),
    "a chain of which two leave": (
        "def f(a, b):\n    if a:\n        return 1\n    elif b:\n        return 2\n    HERE()", ("not (a)", "not (b)"),
    ),
    "only the else leaves": ("def f(a):\n    if a:\n        x()\n    else:\n        return\n    HERE()", ("if a",)),
    "an exit of a nested def is none of its host": (
        "def f(a):\n    if a:\n        def g():\n            return 1\n    HERE()", (),
    ),
    "sys.exit leaves": ("def f(a):\n    if a:\n        sys.exit(1)\n    HERE()", ("not (a)",)),
    "while": ("def f(a):\n    while a.next():\n        HERE()", ("while a.next()",)),
    "an endless loop left by break does not leave": (
        "def f(a, b):\n    if a:\n        while True:\n            if b:\n                break\n    HERE()", (),
    ),
    "an endless loop without break leaves": (
        "def f(a):\n    if a:\n        while True:\n            step()\n    HERE()", ("not (a)",),
    ),
    "loop else": (
        "def f(xs):\n    for x in xs:\n        g()\n    else:\n        HERE()", ("else of for x in xs",),
    ),
    "with, two items": ("def f(a, b):\n    with a.lock() as q, b:\n        HERE()", ("with a.lock() as q, b",)),
    "async": (
        "async def f(a, xs):\n    async with a:\n        async for x in xs:\n            HERE()",
        ("async with a", "async for x in xs"),
    ),
    "try": ("def f():\n    try:\n        HERE()\n    finally:\n        g()", ("try",)),
    "except": (
        "def f():\n    try:\n        g()\n    except (KeyError, OSError) as e:\n        HERE()",
        ("except (KeyError, OSError) as e",),
    ),
    "bare except": ("def f():\n    try:\n        g()\n    except:\n        HERE()", ("except",)),
    "try else": (
        "def f():\n    try:\n        g()\n    except E:\n        h()\n    else:\n        HERE()", ("else of try",),
    ),
    "finally": ("def f():\n    try:\n        g()\n    finally:\n        HERE()", ("finally",)),
    "suppress swallows the raise": (
        "def f(a):\n    with suppress(E):\n        if a:\n            raise E\n    HERE()", (),
    ),
    "match": (
        "def f(a):\n    match a:\n        case [x, _] if x > 1:\n            HERE()\n        case _:\n            pass",
        ("case [x, _] if x > 1",),
    ),
    "comments inside a test are left out": (
        "def f(a, b):\n    if (\n        a  # first\n        and b == '#'\n    ):\n"
        "        HERE()", ("if a and b == '#'",),
    ),
    "a host's guards hold in a nested def": (
        "def f(a):\n    if a:\n        def g(b):\n            if b:\n                HERE()\n        return g",
        ("if a", "if b"),
    ),
    "one line": ("def f(a):\n    if a: HERE()", ("if a",)),
}


@pytest.mark.parametrize("name", GUARDS)
def test_guards(name: str) -> None:
    text, expected = GUARDS[name]
    assert reading(text).guards(line_of(text, "HERE")) == expected


def test_a_long_test_is_shortened() -> None:
    text = f"def f(a):\n    if {' and '.join(['a.is_ready'] * 40)}:\n        HERE()"
    (guard,) = reading(text).guards(3)
    assert guard.startswith("if a.is_ready and") and guard.endswith("…") and len(guard) <= len("if ") + 160


SPANS = '''
@decorated(
    1,
)
# why it is there
async def f(self, a,
            b=2):  # trailing
    """Doc
over two lines."""

    # far away

    # first
    # second
    x = call(  # inner
        a,
        b,
    )  # end
    if (
        a
        and b
    ):
        y = 1; z = 2
    else:
        w = 3
    try:
        go()
    except (A, B) as e:  # oops
        pass
'''


@pytest.mark.parametrize(("mark", "kind", "first", "last"), [
    ("@decorated", "def", 1, 6), ("b=2", "def", 1, 6), ("over two lines", "simple", 7, 8),
    ("x = call", "simple", 14, 17), ("        b,", "simple", 14, 17), ("    if (", "if", 18, 21),
    ("and b", "if", 18, 21), ("    ):", "if", 18, 21), ("y = 1", "simple", 22, 22), ("w = 3", "simple", 24, 24),
    ("except", "except", 27, 27),
])
def test_the_statement_at_a_line(mark: str, kind: str, first: int, last: int) -> None:
    found = reading(SPANS).statement_at(line_of(SPANS, mark))
    assert found is not None
    assert (found.kind, found.first, found.head) == (kind, first, last)


@pytest.mark.parametrize("mark", ["# far away", "    else:"])
def test_a_line_that_is_no_statements_has_none(mark: str) -> None:
    assert reading(SPANS).statement_at(line_of(SPANS, mark)) is None


def test_comments_next_to_a_statement() -> None:
    found = reading(SPANS)
    assert found.comments_near(line_of(SPANS, "x = call")) == ("# first", "# second", "# end")
    assert found.comments_near(line_of(SPANS, "except")) == ("# oops",)
    assert found.comments_near(1) == ("# why it is there", "# trailing")
    assert found.comments_near(line_of(SPANS, "w = 3")) == ()


HEADS = {
    "with, all items in parentheses": ("with (a() as x, b):", "with a() as x, b"),
    "with, one item in parentheses": ("with (a()):", "with a()"),
    "with, an item's own parentheses": ("with (a()) as x, (b):", "with (a()) as x, (b)"),
    "with, a name in parentheses": ("with ((a) as (x)):", "with (a) as (x)"),
    "for over a generator": ("for x in (a for a in b):", "for x in a for a in b"),
    "for over a tuple": ("for x, y in (a, b):", "for x, y in (a, b)"),
    "a test in parentheses": ("while (x := f(':')):  # :", "while x := f(':')"),
    "a colon behind a comment": ("if (a  # why: so\n        ):", "if a"),
    "letters of several bytes": ("if a == 'é' and f('ü'):", "if a == 'é' and f('ü')"),
}


@pytest.mark.parametrize("name", HEADS)
def test_the_head_of_a_block(name: str) -> None:
    head, expected = HEADS[name]
    found = next(iter(reading(f"def f(a, b):\n    {head}\n        g()\n").statements()))
    assert found.text == expected
    assert (found.first, found.head, found.last) == (2, 2 + head.count("\n"), 3 + head.count("\n"))


@pytest.mark.parametrize(("case", "expected"), [
    ("case (a, b):", "case a, b"), ("case [a, b]:", "case [a, b]"), ("case (a as b), (c):", "case (a as b), (c)"),
    ("case (A() | B()) if (x):", "case A() | B() if x"),
])
def test_the_head_of_a_case(case: str, expected: str) -> None:
    found = list(reading(f"def f(x):\n    match x:\n        {case}\n            g()\n").statements())
    assert [(s.kind, s.text) for s in found[:2]] == [("match", "match x"), ("case", expected)]


COMMENTS = """
def f(a):
    if a:
        g(1)
        # end of the block
    elif b:  # head
        # first in the block
        g(2); g(3)  # of the last of the line
        # end of the other block
    # of the statement behind
    g(4)

    # not touching

    try: g(5)  # of no statement
    # of the handler
    except E:
        pass
            # deeper than its block
      # deeper than what follows
    else:
        g(6)
    # one
    # two
    return 1
"""


@pytest.mark.parametrize(("mark", "expected"), [
    ("g(1)", ()), ("elif b", ("# head",)), ("g(2)", ("# first in the block",)),
    ("g(4)", ("# of the statement behind",)), ("g(5)", ()),
    ("except E", ("# of the handler",)), ("g(6)", ()), ("return 1", ("# one", "# two")),
])
def test_comments_belong_to_the_statement_they_touch(mark: str, expected: tuple[str, ...]) -> None:
    assert reading(COMMENTS).comments_near(line_of(COMMENTS, mark)) == expected


def test_small_statements_of_one_line_share_its_comments() -> None:
    found = {s.text: s.comments for s in reading(COMMENTS).statements()}
    assert found["g(2)"] == ("# first in the block",) and found["g(3)"] == ("# of the last of the line",)


def test_comments_between_decorators_and_def_are_of_the_def() -> None:
    text = "class A:\n    # above\n    @d\n    # between\n    def f(self):  # behind\n        pass\n"
    assert reading(text, 1).comments_near(5) == ("# above", "# between", "# behind")


def test_texts_are_on_one_line_and_without_comments() -> None:
    found = reading(SPANS)
    assert [s.text for s in found.statements()][:3] == ['"""Doc over two lines."""', "x = call(a, b)", "if a and b"]
    assert found.head is not None and found.head.text == "async def f(self, a, b=2)"


def test_a_method_is_read_where_it_stands() -> None:
    text = 'class A:\n    x = 1\n\n    def f(self):\n        s = """\nflush left\n"""\n        return s\n    y = 2\n'
    found = reading(text, 4, 8, "A.f")
    assert [(s.kind, s.first, s.last) for s in found.statements()] == [("simple", 5, 7), ("return", 8, 8)]
    assert found.statement_at(6) is found.statement_at(5)


def test_a_class_and_a_run_of_statements_are_read_too() -> None:
    text = "import os\nx = {\n    1: 2,\n}\n\n\nclass A(B):\n    y: int = 1\n\n    def f(self):\n        pass\n"
    whole = reading(text)
    assert [(s.kind, s.first, s.last) for s in whole.body.statements] == [
        ("simple", 1, 1), ("simple", 2, 4), ("class", 7, 11)]
    alone = reading(text, 7, 11, "A")
    assert [(s.kind, s.first) for s in alone.body.statements] == [("simple", 8), ("def", 10)]
    assert alone.head is not None and alone.head.text == "class A(B)"


def test_a_span_that_is_cut_short_is_read_as_the_definition_it_starts_in() -> None:
    text = "def f(a):\n    x = g(\n        a)\n    return x\n"
    found = reading(text, 1, 2, "f")
    assert (found.first, found.last) == (1, 4)


@pytest.mark.parametrize("text", ["def f(:\n    pass\n", "x = (\n", "def f():\nreturn 1\n"])
def test_what_does_not_parse_is_one_clear_error(text: str) -> None:
    with pytest.raises(SourceParseError) as caught:
        reading(text)
    assert "cannot be read as Python" in str(caught.value) and "\n" not in str(caught.value)


def test_wrong_lines_and_languages_are_refused() -> None:
    with pytest.raises(SourceParseError, match="not in a file of 1 lines"):
        read("python", b"x = 1\n", 3, 4, "x")
    with pytest.raises(UsageError, match="cobol"):
        read("cobol", b"x = 1\n", 1, 1, "x")


def test_line_ends_and_bytes_that_are_no_utf8_do_not_shift_lines() -> None:
    source = b"def f():\r\n    x = '\xff\x0c'\r\n    return x\r\n"
    found = read("python", source, 1, 3, "f")
    assert [(s.kind, s.first) for s in found.statements()] == [("simple", 2), ("return", 3)]


def test_a_long_elif_chain_is_read() -> None:
    text = "def f(a):\n    if a == 0:\n        g()\n" + "".join(
        f"    elif a == {at}:\n        g()\n" for at in range(1, 60))
    assert len(reading(text).guards(2 + 59 * 2 + 1)) == 60


def test_reading_again_gives_the_same_object() -> None:
    source = b"def f():\n    return 1\n"
    assert read("python", source, 1, 2, "f") is read("python", bytes(source), 1, 2, "f")


# Programs made at random: every statement is found by its lines, and spans nest.
_SIMPLE = st.sampled_from(["x = g(a)", "g(\n    a,\n    b,\n)", "pass", "x += 1; y = 2", "return x", "raise E", "break",
                           "x = yield", 's = """\ntwo\n"""', "assert (\n    a\n)"])


def _indent(lines: list[str]) -> list[str]:
    return ["    " + line if line.strip() and line not in ('two', '"""') else line for line in lines]


def _suite(body: list[list[str]]) -> list[str]:
    return _indent([line for part in body for line in part])


def _compound(children: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    body = st.lists(children, min_size=1, max_size=3).map(_suite)
    return st.one_of(
        st.tuples(body, body).map(lambda p: ["if a and (", "    b):", *p[0], "else:", *p[1]]),
        st.tuples(body, body, body).map(lambda p: ["if a:", *p[0], "elif b:", *p[1], "# note", "else:", *p[2]]),
        st.tuples(body, body).map(lambda p: ["for i in xs:  # each", *p[0], "else:", *p[1]]),
        body.map(lambda p: ["while True:", *p]),
        body.map(lambda p: ["with a as b, \\", "        c:", *p]),
        st.tuples(body, body, body).map(lambda p: ["try:", *p[0], "except E as e:", *p[1], "finally:", *p[2]]),
        body.map(lambda p: ["@deco", "def inner(a,", "          b):", *p]),
        st.tuples(body, body).map(
            lambda p: ["match a:", "    case 1:", *_indent(p[0]), "    case _:", *_indent(p[1])]),
    )


_PROGRAM = st.lists(
    st.recursive(_SIMPLE.map(str.splitlines), _compound, max_leaves=12), min_size=1, max_size=4
)


@given(_PROGRAM, st.integers(0, 2))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_spans_nest_and_every_statement_line_is_found(program: list[list[str]], depth: int) -> None:
    lines = ["def f(a, b, c, xs):", *_suite(program)]
    for _ in range(depth):
        lines = ["class A:", *_indent(lines)]
    found = read("python", "\n".join(lines).encode(), 1 + depth, len(lines), "f")
    assert found.head is not None and (found.first, found.head.last) == (1 + depth, len(lines))
    held: set[int] = set()
    for statement in found.statements():
        assert found.first <= statement.first <= statement.head <= statement.last <= found.last
        behind = statement.first
        for block in statement.blocks:
            for inner in block.statements:
                assert behind <= inner.first <= inner.last <= statement.last
                behind = inner.first
        own = range(statement.first, (statement.head if statement.compound else statement.last) + 1)
        held.update(own)
        for line in own:
            at = found.statement_at(line)
            assert at is not None and at.first <= line <= at.head
    heads = {"else:", "finally:", "# note"}
    code = {at for at in range(found.first + 1, found.last + 1) if lines[at - 1].strip() not in heads}
    assert code <= held


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("def f():\n    raise ValueError\n    HERE()", True),
        ("def f(a):\n    while True:\n        a()\n    with a:\n        HERE()", True),
        ("def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n    HERE()", True),
        ("def f(a):\n    if a:\n        return 1\n    HERE()", False),
        ("def f(a):\n    try:\n        return a()\n    except ValueError:\n        HERE()", False),
        ("def f(a):\n    while True:\n        if a:\n            break\n    HERE()", False),
        ("def f(a):\n    match a:\n        case 1:\n            return 1\n        case _:\n            HERE()", False),
    ],
)
def test_what_control_never_reaches_is_dead(text: str, dead: bool) -> None:
    assert reading(text).dead(line_of(text, "HERE")) is dead
