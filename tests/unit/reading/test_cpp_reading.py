from __future__ import annotations

import textwrap

import pytest

from tracer.errors import SourceParseError
from tracer.reading import Reading, read


def reading(text: str, first: int = 1, last: int = 0, symbol: str = "case") -> Reading:
    source = textwrap.dedent(text).lstrip("\n")
    return read("cpp", source.encode(), first, last or len(source.splitlines()), symbol)


def line_of(text: str, mark: str) -> int:
    lines = textwrap.dedent(text).lstrip("\n").splitlines()
    return next(at for at, line in enumerate(lines, 1) if mark in line)


GUARDS = {
    "if": ("void f() {\n  if (a > 1) {\n    HERE();\n  }\n}", ("if a > 1",)),
    "if with an initialiser": (
        "void f() {\n  if (auto it = m.find(k); it != m.end()) {\n    HERE();\n  }\n}",
        ("if auto it = m.find(k); it != m.end()",),
    ),
    "no braces": ("void f() {\n  if (a)\n    HERE();\n}", ("if a",)),
    "attribute": ("void f() {\n  if (a) [[likely]] {\n    HERE();\n  }\n}", ("if a",)),
    "else if chain": (
        "void f() {\n  if (a) {\n    x();\n  } else if (b && c) {\n    y();\n  } else {\n    HERE();\n  }\n}",
        ("not (a)", "not (b && c)"),
    ),
    "early return": ("int f() {\n  if (!a) return 1;\n  HERE();\n}", ("not (!a)",)),
    "early throw": ("int f() {\n  if (!a) {\n    throw E();\n  }\n  HERE();\n}", ("not (!a)",)),
    "early co_return": ("Task f() {\n  if (a) co_return;\n  HERE();\n}", ("not (a)",)),
    "abort leaves": ("int f() {\n  if (!a) std::abort();\n  HERE();\n}", ("not (!a)",)),
    "an early exit before a label may be jumped over": (
        "int f() {\n  if (b) goto out;\n  if (a) return 1;\nout:\n  HERE();\n}", (),
    ),
    "range for and continue": (
        "void f() {\n  for (const auto& [k, v] : m) {\n    if (v) continue;\n    HERE();\n  }\n}",
        ("for const auto& [k, v] : m", "not (v)"),
    ),
    "for": ("void f() {\n  for (int i = 0; i < n; ++i) {\n    HERE();\n  }\n}", ("for int i = 0; i < n; ++i",)),
    "while": ("void f() {\n  while (more()) {\n    HERE();\n  }\n}", ("while more()",)),
    "for (;;) without break leaves": ("void f() {\n  if (a) for (;;) g();\n  HERE();\n}", ("not (a)",)),
    "do": ("void f() {\n  do {\n    HERE();\n  } while (more());\n}", ("do while more()",)),
    "switch": (
        "void f() {\n  switch (s) {\n    case A:\n    case B: {\n      HERE();\n      break;\n    }\n"
        "    default: g();\n  }\n}",
        ("case A | B",),
    ),
    "default": ("void f() {\n  switch (s) {\n    case A: g();\n    default:\n      HERE();\n  }\n}", ("default",)),
    "a switch whose cases all return leaves": (
        "int f() {\n  if (a) {\n    switch (s) {\n      case A: return 1;\n      default: return 2;\n    }\n"
        "  }\n  HERE();\n}",
        ("not (a)",),
    ),
    "a switch that is left by break does not": (
        "int f() {\n  if (a) {\n    switch (s) {\n      case A: break;\n      default: return 2;\n    }\n  }\n"
        "  HERE();\n}",
        (),
    ),
    "try": ("void f() {\n  try {\n    HERE();\n  } catch (...) {\n  }\n}", ("try",)),
    "catch": ("void f() {\n  try {\n    g();\n  } catch (const E& e) {\n    HERE();\n  }\n}", ("catch const E& e",)),
    "ifdef": ("void f() {\n#ifdef USE_X  // why\n  HERE();\n#endif\n}", ("#ifdef USE_X",)),
    "else of ifdef": ("void f() {\n#ifdef USE_X\n  g();\n#else\n  HERE();\n#endif\n}", ("#else of #ifdef USE_X",)),
    "elif of if": (
        "void f() {\n#if A > 1 && \\\n  B\n  g();\n#elif C\n  HERE();\n#endif\n"
        "}", ("#else of #if A > 1 && B", "#elif C"),
    ),
    "ifdef inside an if": (
        "void f() {\n  if (a) {\n#ifdef X\n    HERE();\n#endif\n  }\n}", ("if a", "#ifdef X"),
    ),
    "an early exit under an ifdef is none without it": (
        "int f() {\n#ifdef X\n  if (a) return 1;\n#endif\n  HERE();\n}", (),
    ),
    "an ifdef that straddles a block": (
        "void f() {\n#ifdef X\n  if (a) {\n    HERE();\n  } else\n#endif\n  {\n    g();\n  }\n}", ("#ifdef X", "if a"),
    ),
    "a lambda has its host's guards": (
        "void f() {\n  if (a) {\n    pool.submit([this] {\n      if (!b) return;\n      HERE();\n    });\n  }\n}",
        ("if a", "not (!b)"),
    ),
    "a return in a lambda is no exit of its host": (
        "void f() {\n  if (a) {\n    auto g = [&] {\n      return 1;\n    };\n  }\n  HERE();\n}", (),
    ),
}


@pytest.mark.parametrize("name", GUARDS)
def test_guards(name: str) -> None:
    text, expected = GUARDS[name]
    assert reading(text).guards(line_of(text, "HERE")) == expected


def test_conditions_around_the_function_count_and_include_guards_do_not() -> None:
    text = "#ifndef CASE_H_\n#define CASE_H_\n#if USE_X\nvoid f() {\n  HERE();\n}\n#endif\n#endif\n"
    assert reading(text, 4, 6).guards(5) == ("#if USE_X",)


SPANS = '''
template <typename T>
Store::Store(Config config,
             int n)
    : config_(config),  // kept
      n_(n) {
  // first
  // second
  submit(  /* inner */
      n,
      2);  // end
  if (std::any_of(v.begin(), v.end(),
                  [](auto& x) { return x.ok(); }) &&
      b)
  {
    go();
  }
  MutexLocker lock(&mutex_);
  std::lock_guard<std::mutex> held(mu_);
  auto cleanup = ScopeGuard([&] {
    release();
  });
  KVCacheBlock block(n);
  launch<<<grid, 2>>>(n);
  pool.submit([this, n](int y) -> bool {
    return run(n);
  }, 3);
}
'''


@pytest.mark.parametrize(("mark", "kind", "first", "last"), [
    ("template", "def", 1, 3), ("int n)", "def", 1, 3), ("config_(config)", "simple", 4, 4),
    ("submit(  /*", "simple", 8, 10), ("      2);", "simple", 8, 10), ("std::any_of", "if", 11, 13),
    ("      b)", "if", 11, 13), ("[](auto& x)", "return", 12, 12), ("go()", "simple", 15, 15),
    ("MutexLocker", "raii", 17, 17), ("lock_guard", "raii", 18, 18), ("ScopeGuard", "raii", 19, 21),
    ("    release", "simple", 20, 20), ("KVCacheBlock", "simple", 22, 22), ("pool.submit", "simple", 24, 26),
    ("return run", "return", 25, 25), ("}, 3)", "simple", 24, 26),
])
def test_the_statement_at_a_line(mark: str, kind: str, first: int, last: int) -> None:
    found = reading(SPANS).statement_at(line_of(SPANS, mark))
    assert found is not None
    assert (found.kind, found.first, found.head) == (kind, first, last)


def test_texts_are_on_one_line_without_comments_and_bodies_of_lambdas() -> None:
    found = reading(SPANS)
    texts = {s.first: s.text for s in found.statements()}
    assert found.head is not None and found.head.text == "template <typename T> Store::Store(Config config, int n)"
    assert texts[8] == "submit(n, 2)"
    assert texts[23] == "launch<<<grid, 2>>>(n)"
    assert found.statement_at(26).text == "pool.submit([this, n](int y) -> bool {}, 3)"  # type: ignore[union-attr]


def test_comments_next_to_a_statement() -> None:
    found = reading(SPANS)
    assert found.comments_near(8) == ("// first", "// second", "// end")
    assert found.comments_near(4) == ("// kept",)
    assert found.comments_near(22) == ()


def test_a_case_with_a_brace_behind_it_is_the_case() -> None:
    found = reading("void f() {\n  switch (s) {\n    case int(A): {\n      g();\n    }\n  }\n}\n")
    assert found.statement_at(3).text == "case int(A)"  # type: ignore[union-attr]


def test_the_host_of_a_line() -> None:
    found = reading(SPANS)
    inner = found.host_of(25)
    assert inner is not None and inner.text == "[this, n](int y) -> bool"
    assert found.host_of(24) is None


@pytest.mark.parametrize("text", [
    "  explicit Store(int n) : n_(n) { go(); }",
    "  ~Store() override { go(); }",
    "  void drop(Handle* h) const noexcept override { go(); }",
    "  void drop(Key k) REQUIRES(mutex_) { go(); }",
    "  auto drop() -> Task<void> try { go(); } catch (...) { }",
])
def test_methods_inside_a_class_are_read_alone(text: str) -> None:
    source = f"class Store {{\n{text}\n}};\n"
    found = reading(source, 2, 2, "Store::x")
    assert found.head is not None and found.head.kind == "def"
    assert "go()" in [s.text for s in found.statements()]
    assert found.problems == ()


def test_defaulted_functions_and_classes_are_read() -> None:
    source = ("struct A {\n  A& operator=(A&&) = default;\n  int n = 0;\n  void f() { n = 1; }\n};\n"
              "enum class E {\n  X,\n  Y = 2,\n};\n")
    assert reading(source, 2, 2).body.statements == ()
    whole = reading(source, 1, 5, "A")
    assert [(s.kind, s.first) for s in whole.body.statements] == [("def", 2), ("simple", 3), ("def", 4)]
    assert [s.text for s in reading(source, 6, 9, "E").body.statements] == ["X", "Y = 2"]


def test_a_branch_that_cannot_be_read_beside_the_other_is_named() -> None:
    text = "void f() {\n#ifdef X\n  if (a) {\n#else\n  if (b) {\n#endif\n    HERE();\n  }\n}\n"
    found = reading(text)
    assert found.problems == (5,)
    assert found.guards(7) == ("if a",)


def test_what_the_parser_skips_is_named_and_the_rest_is_read() -> None:
    text = "void f() {\n  a();\n  x = = 3;\n  b();\n}\n"
    found = reading(text)
    assert 3 in found.problems
    assert found.statement_at(4).text == "b()"  # type: ignore[union-attr]


def test_nothing_to_read_is_an_error() -> None:
    with pytest.raises(SourceParseError, match="hold no C"):
        reading("// only a comment\n\n")
    with pytest.raises(SourceParseError, match="not in a file"):
        reading("int x;\n", 5, 9)


def test_long_else_if_chains_and_blanked_comments_stay_cheap() -> None:
    chain = "".join(f" else if (a == {at}) {{\n    g();\n  }}" for at in range(900))
    text = f"void f() {{\n  if (b) {{\n    g();\n  }}{chain}\n}}\n"
    assert len(reading(text).guards(3 + 2 * 900)) == 901
    noisy = "void f() {\n  g(\n" + "    // a comment of some length, on a line of its own\n" * 800 + "    1);\n}\n"
    assert reading(noisy).statement_at(2).text == "g(1)"  # type: ignore[union-attr]


def test_spans_nest_and_statements_are_found_by_their_lines() -> None:
    for text in (SPANS, *(case for case, _ in GUARDS.values())):
        found = reading(text)
        for statement in found.statements():
            assert found.first <= statement.first <= statement.head <= statement.last <= found.last
            assert found.statement_at(statement.first) is not None
            for block in statement.own_blocks():
                behind = statement.first
                for inner in block.statements:
                    assert behind <= inner.first <= inner.last <= statement.last
                    behind = inner.first
