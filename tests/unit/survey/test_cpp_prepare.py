from __future__ import annotations

import pytest

from tests.unit.survey.cpp_facts import body, defined, facts, states
from tracer.survey.cpp_prepare import prepare
from tracer.survey.facts import Arg


def test_annotation_macros_do_not_hide_functions() -> None:
    found = facts("""\
        class API_EXPORT Jar {
          void open() REQUIRES(mu_) { n_ = 1; }
          void shut() const ABSL_LOCKS_EXCLUDED(mu_, other_) NO_THREAD_SAFETY_ANALYSIS;
          int n_ GUARDED_BY(mu_) = 2;
          __attribute__((noinline)) void slow();
        };
        __global__ void __launch_bounds__(256) kernel(int* __restrict__ p) { p[0] = 1; }
        void go() { kernel<<<grid, block, 0, stream>>>(p); }
        """)
    assert found.problem == ""
    assert [(d.name, d.kind, d.line) for d in found.definitions] == [
        ("Jar", "class", 1),
        ("Jar::open", "function", 2),
        ("Jar::shut", "declaration", 3),
        ("Jar::slow", "declaration", 5),
        ("kernel", "function", 7),
        ("go", "function", 8),
    ]
    assert [(f.name, f.text) for f in found.fields] == [("n_", "2")]
    assert [(c.callee, c.line) for c in found.calls] == [("kernel", 8)]


def test_values_named_like_annotations_stay() -> None:
    found = body("order_ = RELEASE;\nif (mode_ == ACQUIRE) g(RELEASE);")
    assert states(found)[0] == (2, "write", "order_", "RELEASE")
    assert found.calls[0].args == (Arg("", "RELEASE", "RELEASE"),)


def test_both_branches_of_a_condition_are_read() -> None:
    found = body("""\
        #ifdef FAST
        a_.store(1);
        #else
        b_.store(2);
        #endif
        """)
    assert [(a.line, a.target) for a in found.accesses] == [(3, "a_"), (5, "b_")]


def test_branches_that_share_a_block_keep_the_first() -> None:
    found = facts("""\
        #ifdef WIDE
        void f(long n) {
        #else
        void f(int n) {
        #endif
          n_ = n;
        }
        void g() {}
        """)
    assert found.problem == ""
    assert defined(found) == [("f", "function", 2, -1), ("g", "function", 8, -1)]


def test_includes_are_imports() -> None:
    found = facts('#include <vector>\n#  include "a/b.h"\nusing namespace std;\n')
    assert [(i.alias, i.module, i.name, i.line) for i in found.imports] == [
        ("", "vector", "", 1), ("", "a/b.h", "", 2), ("*", "std", "*", 3),
    ]  # fmt: skip


def test_macros_that_the_file_defines_as_specifiers_are_specifiers() -> None:
    found = facts("""\
        #define QUICK __forceinline__ inline
        #define NOTHING
        #define LIMIT 4
        struct Jar {
          QUICK ~Jar() {}
          NOTHING explicit Jar(int n) : n_(LIMIT) {}
          int n_;
        };
        """)
    assert found.problem == ""
    assert [d.name for d in found.definitions] == ["Jar", "Jar::~Jar", "Jar::Jar"]
    assert states(found) == [(6, "write", "n_", "LIMIT")]


@pytest.mark.parametrize(("text", "name", "returns"), [
    ("FORCE_INLINE static std::pair<int, int> both(int a) {}", "both", "std::pair<int, int>"),
    ("DEVICE_ONLY ns::Vec both(int a) {}", "both", "ns::Vec"),
    ("template <typename T>\nHOST_DEVICE T both(int a) {}", "both", "T"),
    ("UUID both(int a) {}", "both", "UUID"),
])  # fmt: skip
def test_a_macro_before_the_type_is_not_the_type(text: str, name: str, returns: str) -> None:
    (found,) = facts(text).definitions
    assert (found.name, found.returns) == (name, returns)


def test_a_macro_behind_a_string_is_left_out() -> None:
    found = body('return Status::Bad("no jar" HERE_MARK);')
    assert found.problem == ""
    assert found.calls[0].args == (Arg("", "#str", "no jar"),)


def test_lines_of_one_macro_do_not_hide_what_follows() -> None:
    found = facts("BEGIN_KITCHEN_NAMESPACE\nINSTANTIATE_ALL(float, 4)\nINSTANTIATE_ALL(int, 4)\nvoid f() {}\n")
    assert found.problem == ""
    assert defined(found) == [("f", "function", 4, -1)]


def test_the_branch_that_reads_well_is_kept() -> None:
    found = body("""\
        #ifdef SPIN
        SPIN_ONCE
        #else
        a_ = 1;
        #endif
        """)
    assert [a.line for a in found.accesses] == [5]


def test_branches_inside_an_expression_are_both_read() -> None:
    found = body("""\
        g(a_,
        #ifdef WIDE
          b_,
        #else
          c_,
        #endif
          d_);
        """)
    assert [a.target for a in found.accesses] == ["a_", "b_", "c_", "d_"]


def test_code_that_is_switched_off_is_left_out() -> None:
    assert [a.target for a in body("#if 0\na_ = 1;\n#else\nb_ = 1;\n#endif").accesses] == ["b_"]


@pytest.mark.parametrize("text", [
    b"",
    b"#",
    b"#if",
    b"#else\n#endif\n#endif",
    b"#if 1\n#if 2\n#else\n",
    b"#define A \\\n  b\\\nint x;",
    b"#define A /* comment\n goes on */\nint x;\n",
    b"\xef\xbb\xbf#include <a>\r\nint x GUARDED_BY(m);\r\n",
    b"k<<<a, b>>>(c);\0",
    b'R"(\n#if x\n)"',
])  # fmt: skip
def test_nothing_moves(text: bytes) -> None:
    code = prepare(text).code
    assert len(code) == len(text)
    assert [i for i, ch in enumerate(code) if ch == 10] == [i for i, ch in enumerate(text) if ch == 10]
    assert all(a in (b, 32) for a, b in zip(code, text, strict=True))
