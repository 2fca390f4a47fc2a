"""The survey of Python: files that are hard to read, and what one file may cost."""

from __future__ import annotations

import gc
import sys
import time

import msgspec
import pytest

from tracer.survey.facts import Definition, FileFacts, Param
from tracer.survey.python import survey_python


def survey(code: str) -> FileFacts:
    facts = survey_python(code.encode())
    assert facts.problem == ""
    return facts


def reads(facts: FileFacts) -> list[str]:
    return [a.target for a in facts.accesses if a.op == "read"]


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
