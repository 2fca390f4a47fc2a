from __future__ import annotations

import textwrap

import pytest

from tracer.reading import Reading, flow, read
from tracer.reading.branches import atom
from tracer.reading.flow import Exit


def reading(text: str) -> Reading:
    source = textwrap.dedent(text).lstrip("\n")
    language = "python" if source.startswith(("def", "async", "class", "@")) else "cpp"
    return read(language, source.encode(), 1, len(source.splitlines()), "case")


def at(text: str, mark: str) -> int:
    lines = textwrap.dedent(text).lstrip("\n").splitlines()
    return next(number for number, line in enumerate(lines, 1) if mark in line)


def all_at(text: str, mark: str) -> list[int]:
    lines = textwrap.dedent(text).lstrip("\n").splitlines()
    return [number for number, line in enumerate(lines, 1) if mark in line]


EXITS = {
    "falls off its end": ("def f(a):\n    g()\n", ["2 fall"]),
    "both branches return": ("def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n"
    "", ["3 return", "5 return"]),
    "an elif chain without else": (
        "def f(a):\n    if a == 1:\n        return 1\n    elif a == 2:\n        raise E\n"
        "", ["3 return", "5 fall", "5 raise"],
    ),
    "dead code is none": ("def f(a):\n    return 1\n    return 2\n", ["2 return"]),
    "an endless loop": ("def f(a):\n    while True:\n        g()\n", []),
    "an endless loop left by break": (
        "def f(a):\n    while True:\n        if a():\n            break\n    return 1\n", ["5 return"],
    ),
    "a loop's else is skipped by break": (
        "def f(xs):\n    for x in xs:\n        if x:\n            break\n    else:\n        return 1\n"
        "", ["6 fall", "6 return"],
    ),
    "a raise that is caught": (
        "def f():\n    try:\n        raise KeyError(1)\n    except KeyError:\n        return 1\n", ["5 return"],
    ),
    "a raise whose base is caught": (
        "def f():\n    try:\n        raise KeyError(1)\n    except LookupError:\n        return 1\n", ["5 return"],
    ),
    "a raise past handlers of others": (
        "def f():\n    try:\n        raise KeyError(1)\n    except (ValueError, OSError):\n        return 1\n",
        ["3 raise"],
    ),
    "a raise that may be caught": (
        "def f():\n    try:\n        raise Unknown(1)\n    except Other:\n        return 1\n", ["3 raise", "5 return"],
    ),
    "a cancellation is no Exception": (
        "def f():\n    try:\n        raise asyncio.CancelledError\n    except Exception:\n        return 1\n"
        "", ["3 raise"],
    ),
    "a bare raise leaves the handler": (
        "def f():\n    try:\n        g()\n    except Exception:\n        raise\n    return 1\n"
        "", ["5 raise", "6 return"],
    ),
    "a return in finally keeps the exception in": (
        "def f():\n    try:\n        raise E\n    finally:\n        return 1\n", ["5 return"],
    ),
    "a call in try/finally is no exit of its own": (
        "def f():\n    try:\n        g()\n    finally:\n        h()\n", ["5 fall"],
    ),
    "a nested function's return is none": (
        "def f():\n    def g():\n        return 1\n    h(lambda: g)\n", ["4 fall"],
    ),
    "sys.exit is none": ("def f(a):\n    if a:\n        sys.exit(1)\n    return 1\n", ["4 return"]),
    "match with a last resort": (
        "def f(a):\n    match a:\n        case 1:\n            return 1\n        case _:\n            return 2\n",
        ["4 return", "6 return"],
    ),
    "match without": ("def f(a):\n    match a:\n        case 1:\n            return 1\n", ["4 fall", "4 return"]),
    "suppress lets go on": ("def f():\n    with suppress(E):\n        raise E\n", ["3 fall"]),
    "a class has none": ("class A:\n    x = 1\n    def f(self):\n        return 1\n", []),
    "async": ("async def f(a):\n    async with a:\n        return await g()\n", ["3 return"]),
    "C++": (
        "int f(int a) {\n  if (a) return 1;\n  for (auto x : xs) {\n    if (x) throw E(\"x\");\n  }\n}\n",
        ["2 return", "4 throw", "6 fall"],
    ),
    "C++ lambda": ("void f() {\n  auto g = [&] {\n    return 1;\n  };\n  g();\n}\n", ["6 fall"]),
    "C++ switch falls through": (
        "int f(int a) {\n  switch (a) {\n    case 1:\n      g();\n    case 2:\n      return 2;\n    default:\n"
        "      return 3;\n  }\n}\n",
        ["6 return", "8 return"],
    ),
    "C++ switch with break": (
        "int f(int a) {\n  switch (a) {\n    case 1:\n      break;\n    default:\n      return 3;\n  }\n}\n",
        ["6 return", "8 fall"],
    ),
    "C++ coroutine": ("Task f() {\n  if (a) co_return 1;\n  co_await g();\n}\n", ["2 co_return", "4 fall"]),
    "C++ catch all": ("int f() {\n  try {\n    throw E();\n  } catch (...) {\n    return 1;\n  }\n}\n", ["5 return"]),
    "C++ standard exception": (
        "int f() {\n  try {\n    throw std::runtime_error(\"x\");\n  } catch (const std::exception& e) {\n"
        "    return 1;\n  }\n}\n",
        ["5 return"],
    ),
    "C++ rethrow": (
        "int f() {\n  try {\n    g();\n  } catch (const E& e) {\n    throw;\n  }\n  return 0;\n}\n"
        "", ["5 throw", "7 return"],
    ),
    "C++ abort": ("int f() {\n  if (a) std::abort();\n  return 0;\n}\n", ["3 return"]),
    "C++ do runs once": ("int f() {\n  do {\n    return 1;\n  } while (a);\n}\n", ["3 return"]),
    "C++ goto": ("int f() {\n  if (a) goto out;\n  return 1;\nout:\n  return 2;\n}\n", ["3 return", "5 return"]),
    "C++ ifdef": (
        "int f() {\n#ifdef X\n  return 1;\n#else\n  g();\n#endif\n  return 2;\n}\n", ["3 return", "7 return"],
    ),
}


def shown(found: tuple[Exit, ...]) -> list[str]:
    return [f"{e.line} {e.kind}{' implicit' if e.implicit else ''}" for e in found]


@pytest.mark.parametrize("name", EXITS)
def test_exits(name: str) -> None:
    text, expected = EXITS[name]
    assert shown(flow.exits(reading(text))) == expected


def test_calls_that_may_raise_are_exits_if_asked_for() -> None:
    text = """
        def f():
            a = g()
            try:
                h()
            except Exception:
                pass
            b = 1
            return b
    """
    assert shown(flow.exits(reading(text), exceptions=True)) == ["2 raise implicit", "8 return"]


def test_a_wait_may_be_cancelled_past_except_exception() -> None:
    text = "async def f():\n    try:\n        await g()\n    except Exception:\n        pass\n"
    assert shown(flow.exits(reading(text), exceptions=True)) == ["3 raise implicit", "5 fall"]


def test_a_lambda_has_exits_of_its_own() -> None:
    text = "void f() {\n  auto g = [&](int a) {\n    if (a) return 1;\n    return 2;\n  };\n  g(1);\n}\n"
    found = reading(text)
    assert shown(flow.exits(found, found.host_of(3))) == ["3 return", "4 return"]
    assert shown(flow.reachable_exits(found, 4)) == ["4 return"]


# name: text with TAKE, GIVE (any number) and, per exit that can be reached, whether the release is passed.
COVERED = {
    "straight": ("def f(a):\n    TAKE()\n    GIVE()\n    return 1\n", {"4 return": True}),
    "an early return misses it": (
        "def f(a):\n    TAKE()\n    if a:\n        return 0\n    GIVE()\n    return 1\n",
        {"4 return": False, "6 return": True},
    ),
    "an exit before the acquire does not count": (
        "def f(a):\n    if a:\n        return 0\n    TAKE()\n    GIVE()\n", {"5 fall": True},
    ),
    "finally": (
        "def f(a):\n    TAKE()\n    try:\n        if a:\n            return 0\n        raise E\n"
        "    finally:\n        GIVE()\n",
        {"5 return": True, "6 raise": True},
    ),
    "a finally that releases on one condition": (
        "def f(a):\n    TAKE()\n    try:\n        return 0\n    finally:\n        if a:\n            GIVE()\n",
        {"4 return": False},
    ),
    "released where it fails, kept where it works": (
        "def f(a):\n    TAKE()\n    try:\n        g()\n    except E:\n        GIVE()\n        raise\n"
        "    return 1\n",
        {"7 raise": True, "8 return": False},
    ),
    "a handler that forgets it": (
        "def f(a):\n    TAKE()\n    try:\n        g()\n    except E:\n        return 0\n    GIVE()\n",
        {"6 return": False, "7 fall": True},
    ),
    "a loop that may not run": (
        "def f(xs):\n    TAKE()\n    for x in xs:\n        GIVE()\n", {"4 fall": False},
    ),
    "a release in the exit's own statement": ("def f(a):\n    TAKE()\n    return GIVE()\n", {"3 return": True}),
    "the acquire is the exit": ("def f(a):\n    return TAKE()\n", {"2 return": False}),
    "the acquire is the exit, finally releases": (
        "def f(a):\n    try:\n        return TAKE()\n    finally:\n        GIVE()\n", {"3 return": True},
    ),
    "continue goes round": (
        "def f(xs):\n    for x in xs:\n        TAKE()\n        if x:\n            continue\n        GIVE()\n",
        {"6 fall": False},
    ),
    "break through a finally": (
        "def f(xs):\n    while True:\n        TAKE()\n        try:\n            break\n        finally:\n"
        "            GIVE()\n"
        "    return 1\n",
        {"8 return": True},
    ),
    "switch fall-through": (
        "int f(int a) {\n  TAKE();\n  switch (a) {\n    case 1:\n      g();\n    default:\n"
        "      GIVE();\n  }\n  return 1;\n}\n",
        {"9 return": True},
    ),
    "switch without default": (
        "int f(int a) {\n  TAKE();\n  switch (a) {\n    case 1:\n      GIVE();\n  }\n  return 1;\n}\n"
        "", {"7 return": False},
    ),
    "a release in a lambda is not made here": (
        "int f() {\n  TAKE();\n  pool.submit([=] {\n    GIVE();\n  });\n  return 1;\n}\n", {"6 return": False},
    ),
    "a scope guard's lambda is": (
        "int f() {\n  auto guard = ScopeGuard([&] {\n    GIVE();\n  });\n  TAKE();\n  if (a) return 0;\n"
        "  throw E();\n}\n",
        {"6 return": True, "7 throw": True},
    ),
    "a scope guard behind an early exit": (
        "int f() {\n  TAKE();\n  if (a) return 0;\n  auto guard = ScopeGuard([&] {\n    GIVE();\n  });\n"
        "  return 1;\n}\n",
        {"3 return": False, "7 return": True},
    ),
    "an abort is no exit": (
        "int f() {\n  TAKE();\n  if (a) std::abort();\n  GIVE();\n  return 1;\n}\n", {"5 return": True},
    ),
}


@pytest.mark.parametrize("name", COVERED)
def test_covered(name: str) -> None:
    text, expected = COVERED[name]
    found, start, releases = reading(text), at(text, "TAKE"), frozenset(all_at(text, "GIVE"))
    leaving = flow.reachable_exits(found, start)
    answers = [flow.covered(found, start, e, releases) for e in leaving]
    assert dict(zip(shown(leaving), answers, strict=True)) == expected


def test_a_with_releases_wherever_it_is_left() -> None:
    text = "def f(a):\n    with lock(a):\n        TAKE()\n        if a:\n            return 0\n    return 1\n"
    found = reading(text)
    first, second = flow.reachable_exits(found, 3)
    assert flow.covered(found, 3, first, [], scoped=[2]) and flow.covered(found, 3, second, [], scoped=[2])
    assert not flow.covered(found, 3, first, [])


def test_a_raii_declaration_covers_what_stands_behind_it_in_its_block() -> None:
    text = "int f() {\n  {\n    Guard guard(x);\n    acquire();\n    if (a) return 0;\n  }\n  acquire();\n"
    "  return 1;\n}\n"
    found = reading(text)
    inner, outer = flow.reachable_exits(found, 4)
    assert flow.covered(found, 4, inner, [], scoped=[3]) and flow.covered(found, 4, outer, [], scoped=[3])
    assert not flow.covered(found, 7, outer, [], scoped=[3])


def test_the_side_of_a_test_on_which_it_worked() -> None:
    text = "int f() {\n  if (!acquire()) return 0;\n  if (a) return 1;\n  release();\n  return 2;\n}\n"
    found = reading(text)
    assert shown(flow.reachable_exits(found, 2, when="else")) == ["3 return", "5 return"]
    assert shown(flow.reachable_exits(found, 2, when="body")) == ["2 return"]
    one, two = flow.reachable_exits(found, 2, when="else")
    assert flow.escape(found, 2, one, [4], when="else") == (2, 3)
    assert flow.covered(found, 2, two, [4], when="else")


def test_the_functions_head_stands_for_its_entry() -> None:
    text = "def f(a,\n      b):\n    if a:\n        return 0\n    GIVE()\n"
    found = reading(text)
    early, end = flow.reachable_exits(found, 2)
    assert (early.line, end.kind) == (4, "fall")
    assert flow.escape(found, 1, early, {5}) == (1, 3, 4) and flow.covered(found, 1, end, {5})


@pytest.mark.parametrize(("text", "expected"), [
    ("int f() {\n  TAKE();\n  if (p != nullptr) {\n    GIVE(p);\n  }\n  return 1;\n}\n", True),
    ("int f() {\n  TAKE();\n  if (p) GIVE(p);\n  return 1;\n}\n", True),
    ("int f() {\n  TAKE();\n  if (q) GIVE(p);\n  return 1;\n}\n", False),
    ("int f() {\n  TAKE();\n  if (p > 0) GIVE(p);\n  return 1;\n}\n", False),
    ("def f(a):\n    TAKE()\n    if self.p is not None:\n        GIVE(self.p)\n    return 1\n", True),
    ("def f(xs):\n    TAKE()\n    for x in xs:\n        GIVE(x)\n    return 1\n", True),
    ("def f(xs):\n    TAKE()\n    for x in xs:\n        if x:\n            GIVE(x)\n    return 1\n", True),
    ("def f(xs):\n    TAKE()\n    for x in xs:\n        if a:\n            continue\n        GIVE(x)\n    return 1\n",
     False),
])
def test_taking_it_that_there_is_something_to_release(text: str, expected: bool) -> None:
    found, start, releases = reading(text), at(text, "TAKE"), all_at(text, "GIVE")
    (leaving,) = flow.reachable_exits(found, start)
    assert not flow.covered(found, start, leaving, releases)
    assert flow.covered(found, start, leaving, releases, present=True) is expected


@pytest.mark.parametrize(("test", "expected"), [
    ("status.is_ok()", ("status", True)), ("not status.is_ok()", ("status", False)), ("!r->ok()", ("r", False)),
    ("found.has_value()", ("found", True)), ("it.is_none()", ("it", False)), ("not r.is_err()", ("r", True)),
    ("rows.empty()", ("rows", False)), ("status.is_open()", ("status.is_open()", True)),
])
def test_a_result_that_says_whether_it_is_one(test: str, expected: tuple[str, bool]) -> None:
    assert atom(test) == expected


def test_an_escape_names_the_lines_of_the_path() -> None:
    text = "def f(a):\n    TAKE()\n    if a:\n        g()\n        return 0\n    GIVE()\n"
    found = reading(text)
    assert flow.escape(found, 2, Exit(5, "return", "return 0"), {6}) == (2, 3, 4, 5)


def test_exceptions_of_calls_count_if_asked_for() -> None:
    text = "def f(a):\n    TAKE()\n    g()\n    GIVE()\n    h()\n"
    found = reading(text)
    leaving = flow.reachable_exits(found, 2, exceptions=True)
    answers = [flow.covered(found, 2, e, {4}, exceptions=True) for e in leaving]
    assert dict(zip(shown(leaving), answers, strict=True)) == {
        "3 raise implicit": False, "4 raise implicit": True, "5 fall": True, "5 raise implicit": True}


# name: text with A and B, verdict of "A always before B", lines of the path on which it fails
ORDER = {
    "straight": ("def f():\n    A()\n    B()\n", "holds", ()),
    "the other way round": ("def f():\n    B()\n    A()\n", "fails", (2,)),
    "on one branch": ("def f(a):\n    if a:\n        A()\n    B()\n", "fails", (2, 4)),
    "on both branches": ("def f(a):\n    if a:\n        A()\n    else:\n        A()\n    B()\n", "holds", ()),
    "the other branch leaves": ("def f(a):\n    if a:\n        A()\n    else:\n        return\n    B()\n", "holds", ()),
    "a loop may not run": ("def f(xs):\n    for x in xs:\n        A()\n    B()\n", "fails", (2, 4)),
    "do runs once": ("void f() {\n  do {\n    A();\n  } while (x);\n  B();\n}\n", "holds", ()),
    "in a handler of a try that A is in": (
        "def f():\n    try:\n        g()\n        A()\n    except E:\n        B()\n", "fails", (2, 3, 5, 6),
    ),
    "in finally": ("def f():\n    A()\n    try:\n        g()\n    finally:\n        B()\n", "holds", ()),
    "in a lambda made behind it": (
        "void f() {\n  A();\n  pool.submit([=] {\n    B();\n  });\n}\n", "holds", (),
    ),
    "both in a lambda": ("void f() {\n  pool.submit([=] {\n    A();\n    B();\n  });\n}\n", "holds", ()),
    "A in a lambda does not run here": (
        "void f() {\n  pool.submit([=] {\n    A();\n  });\n  B();\n}\n", "unknown", (),
    ),
    "there is no A": ("def f():\n    B()\n", "unknown", ()),
    "both in one statement": ("def f():\n    B(A())\n", "unknown", ()),
    "two of B, one not behind A": ("def f():\n    B()\n    A()\n    B()\n", "fails", (2,)),
}


@pytest.mark.parametrize("name", ORDER)
def test_order(name: str) -> None:
    text, verdict, path = ORDER[name]
    found = flow.always_before(reading(text), all_at(text, "A("), all_at(text, "B("))
    assert (found.verdict, found.path) == (verdict, path)


def test_a_lambda_that_is_run_at_once_counts_if_asked_for() -> None:
    text, _, _ = ORDER["A in a lambda does not run here"]
    assert flow.always_before(reading(text), [3], [5], lambdas=True).holds


def test_dominates_and_may_follow() -> None:
    text = "def f(a):\n    A()\n    if a:\n        B()\n        return\n    C()\n    while a:\n        D()\n"
    found = reading(text)
    assert flow.dominates(found, 2, 6) and not flow.dominates(found, 4, 6)
    assert flow.may_follow(found, 2, 4) and not flow.may_follow(found, 4, 6)
    assert flow.may_follow(found, 8, 8) and not flow.may_follow(found, 6, 6)


def test_depth_costs_no_recursion_and_length_little() -> None:
    deep = "void f() {\n" + "".join(f"  if (a{n}) {{ g();\n  }} else\n" for n in range(800)) + "  h();\n  return;\n}\n"
    assert shown(flow.exits(reading(deep))) == [f"{deep.count(chr(10)) - 1} return"]
    long = "def f(a):\n" + "    if a():\n        return 1\n    A()\n" * 2000
    assert len(flow.exits(reading(long))) == 2001
