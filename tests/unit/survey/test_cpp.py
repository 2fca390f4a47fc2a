from __future__ import annotations

import pytest

from tests.unit.survey.cpp_facts import body, defined, facts, states
from tracer.survey.cpp import survey_cpp
from tracer.survey.facts import FileFacts


# -- definitions -------------------------------------------------------------------------------------------------------
def test_names_are_full_and_anonymous_namespaces_are_left_out() -> None:
    found = facts("""\
        namespace a::b {
        namespace {
        class Jar final : public Base<int>, private virtual ns::Other {
         public:
          Jar();
          ~Jar();
          bool operator==(const Jar& other) const;
          operator bool() const { return true; }
          class Lid { void turn() {} };
        };
        }  // namespace
        Jar::Jar() {}
        Jar::~Jar() = default;
        void Jar::Lid::close() {}
        int* Elsewhere::find() { return nullptr; }
        }  // namespace a::b
        """)
    assert defined(found) == [
        ("a::b::Jar", "class", 3, -1),
        ("a::b::Jar::Jar", "declaration", 5, 0),
        ("a::b::Jar::~Jar", "declaration", 6, 0),
        ("a::b::Jar::operator==", "declaration", 7, 0),
        ("a::b::Jar::operator bool", "function", 8, 0),
        ("a::b::Jar::Lid", "class", 9, 0),
        ("a::b::Jar::Lid::turn", "function", 9, 5),
        ("a::b::Jar::Jar", "function", 12, 0),
        ("a::b::Jar::~Jar", "function", 13, 0),
        ("a::b::Jar::Lid::close", "function", 14, 5),
        ("a::b::Elsewhere::find", "function", 15, -1),
    ]
    jar = found.definitions[0]
    assert jar.bases == ("Base<int>", "ns::Other")
    assert (jar.first, jar.last) == (3, 10)
    assert found.definitions[-1].returns == "int*"


def test_parameters_keep_pointers_and_lose_const_and_references() -> None:
    found = facts("""\
        void put(const std::vector<const Key &>& keys, Slot *slot, std::shared_ptr<Lid>&& lid,
                 int n = 3, Args&&... args);
        """)
    (put,) = found.definitions
    assert [(p.name, p.annotation, p.default, p.kind) for p in put.params] == [
        ("keys", "std::vector<Key>", "", ""),
        ("slot", "Slot*", "", ""),
        ("lid", "std::shared_ptr<Lid>", "", ""),
        ("n", "int", "#int", ""),
        ("args", "Args", "", "*"),
    ]


def test_flags_tell_virtual_override_static_const_template_abstract() -> None:
    found = facts("""\
        struct S {
          virtual int a() const = 0;
          int b() override;
          static S make();
          template <typename T>
          auto d(T x) -> std::optional<T> { return x; }
          S(const S&) = delete;
        };
        """)
    assert [(d.name, d.kind, d.flags, d.returns) for d in found.definitions[1:]] == [
        ("S::a", "declaration", ("abstract", "virtual", "const"), "int"),
        ("S::b", "declaration", ("override",), "int"),
        ("S::make", "declaration", ("static",), "S"),
        ("S::d", "function", ("template",), "std::optional<T>"),
        ("S::S", "declaration", ("deleted",), ""),
    ]
    assert found.definitions[4].first == 5
    assert found.definitions[4].line == 6


def test_aliases_typedefs_and_friends() -> None:
    found = facts("""\
        namespace n {
        using Map = std::map<std::string, const Jar&>;
        typedef unsigned long Id;
        typedef struct { int size; } Box;
        namespace py = pybind11;
        using other::Thing;
        class Jar { friend bool same(const Jar& a) { return true; } friend class Lid; };
        extern "C" { void plain(); }
        }
        """)
    assert [(d.name, d.kind, d.returns, d.parent) for d in found.definitions] == [
        ("n::Map", "alias", "std::map<std::string, Jar>", -1),
        ("n::Id", "alias", "unsigned long", -1),
        ("n::Box", "class", "", -1),
        ("n::py", "alias", "pybind11", -1),
        ("n::Thing", "alias", "other::Thing", -1),
        ("n::Jar", "class", "", -1),
        ("n::same", "function", "bool", -1),
        ("n::plain", "declaration", "void", -1),
    ]


def test_overloads_and_specialisations_are_definitions_of_their_own() -> None:
    found = facts("""\
        void f(int) {}
        void f(long) {}
        template <> struct std::hash<Key> { size_t operator()(const Key& k) const { return 1; } };
        template <class T> void Pot<T>::stir() {}
        """)
    assert defined(found) == [
        ("f", "function", 1, -1),
        ("f", "function", 2, -1),
        ("std::hash", "class", 3, -1),
        ("std::hash::operator()", "function", 3, 2),
        ("Pot::stir", "function", 4, -1),
    ]


def test_fields_have_types_and_initial_values() -> None:
    found = facts("""\
        enum class State : uint8_t { IDLE = 0, BUSY };
        struct Jar {
          mutable std::atomic<int> refs_{0};
          std::map<std::string, Lid*> lids_ GUARDED_BY(mu_);
          State state = State::IDLE, *other;
          static constexpr int kMax = 4;
          std::function<void(const Lid&)> callback;
          char name[16];
          union { struct { int key; } remote; long raw; };
        };
        static std::mutex g_lock;
        """)
    assert [(f.owner, f.name, f.annotation, f.value, f.text, f.line, f.where) for f in found.fields] == [
        (0, "IDLE", "", "#int", "0", 1, "enum"),
        (0, "BUSY", "", "", "", 1, "enum"),
        (1, "refs_", "std::atomic<int>", "#int", "0", 3, "class"),
        (1, "lids_", "std::map<std::string, Lid*>", "", "", 4, "class"),
        (1, "state", "State", "State::IDLE", "State::IDLE", 5, "class"),
        (1, "other", "State*", "", "", 5, "class"),
        (1, "kMax", "int", "#int", "4", 6, "class"),
        (1, "callback", "std::function<void(Lid)>", "", "", 7, "class"),
        (1, "name", "char[]", "", "", 8, "class"),
        (1, "remote", "remote", "", "", 9, "class"),
        (2, "key", "int", "", "", 9, "class"),
        (1, "raw", "long", "", "", 9, "class"),
        (-1, "g_lock", "std::mutex", "", "", 11, "module"),
    ]


# -- binds -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "expected"), [
    ("auto it = m.find(k);", [("it", "m.find()", "")]),
    ("const Jar& jar = *ptr;", [("jar", "ptr", "Jar")]),
    ("Lid lid(jar, 1);", [("lid", "Lid()", "Lid")]),
    ("std::lock_guard<M> lock(mutex_);", [("lock", "std::lock_guard<M>()", "std::lock_guard<M>")]),
    ("for (auto& [k, v] : m) {}", [("k", "m[*][0]", ""), ("v", "m[*][1]", "")]),
    ("for (const Jar& j : shelf_) {}", [("j", "shelf_[*]", "Jar")]),
    ("auto [ok, err] = g();", [("ok", "g()[0]", ""), ("err", "g()[1]", "")]),
    ("if (auto it = m.find(k); it != m.end()) {}", [("it", "m.find()", "")]),
    ("if (auto p = weak.lock()) {}", [("p", "weak.lock()", "")]),
    ("auto x = c ? a_ : b_;", [("x", "a_", ""), ("x", "b_", "")]),
    ("auto y = static_cast<Jar*>(raw);", [("y", "<Jar*>", "")]),
    ("auto z = std::make_shared<Jar>(1);", [("z", "std::make_shared<Jar>()", "")]),
    ("auto d = std::get<Jar>(v_);", [("d", "<Jar>", "")]),
    ("auto e = std::get<1>(pair_);", [("e", "pair_[1]", "")]),
    ("visit([](const Jar& r) { r.shut(); });", [("r", "", "Jar")]),
    ("auto fn = [q = std::move(p)] {};", [("fn", "#lambda", ""), ("q", "p", "")]),
    ("return it->second;", [("return", "it.second", "")]),
    ("visit([] { return 1; });", []),
    ("try {} catch (const Oops& e) {}", [("e", "", "Oops")]),
    ("int n = 0; n = 4;", [("n", "#int", "int"), ("n", "#int", "")]),
])  # fmt: skip
def test_binds(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(b.name, b.value, b.annotation) for b in body(text).binds] == expected


# -- bad input ---------------------------------------------------------------------------------------------------------
def test_errors_are_told_and_the_rest_is_read() -> None:
    found = facts("void a() {}\n" + "int ) ) ( ] {\n" * 6 + "}\n" * 6 + "void b() {}\n")
    assert found.problem.startswith("parsed with ")
    assert "first at line 2" in found.problem
    assert "a" in [d.name for d in found.definitions]


@pytest.mark.parametrize("text", [
    "int x = " + "(" * 3000 + "1" + ")" * 3000 + ";",
    "void f() { " + "if (a) { " * 2000 + "x_ = 1;" + " }" * 2000 + "}",
    "void f() { s" + " << a_" * 3000 + "; }",
    "void f() { s" + ".a(1)" * 3000 + "; }",
    "void f() { s" + ".def(\"a\", 1)" * 3000 + "; }",
    "void f() { x = " + "a ? b : " * 2000 + "c; }",
    "void f() { x = " + "(a ? " * 2000 + "1" + ": 2)" * 2000 + "; }",
    "void f() { a_ = " + "b_ = " * 3000 + "1; }",
    "void f() { " + "g([] { " * 1000 + "h();" + " })" * 1000 + "; }",
    "<" * 20_000,
    "x GUARDED_BY(" * 5000,
])  # fmt: skip
def test_deep_nesting_does_not_end_the_survey(text: str) -> None:
    assert survey_cpp(text.encode()).lines == 1


def test_bytes_that_are_no_utf8_keep_lines() -> None:
    found = survey_cpp(b"// \xff\xfe caf\xe9\nvoid f() { g(\"\xff\"); }\n\0int y_;\n")
    assert (found.lines, [d.line for d in found.definitions], [f.line for f in found.fields]) == (3, [2], [3])


def test_nothing_gives_nothing() -> None:
    assert survey_cpp(b"") == FileFacts("cpp", 0)


def test_facts_are_in_source_order_and_equal_for_equal_input() -> None:
    text = "struct A { int f() { a_ = 1; g(); return a_; } int a_; };\n" * 3
    found = survey_cpp(text.encode())
    assert found == survey_cpp(text.encode())
    assert [c.line for c in found.calls] == [1, 2, 3]


def test_names_survive_an_error_around_them() -> None:
    found = facts("""\
        namespace kitchen {
        struct Jar {
          void open() { n_ = 1; }
          )) int (
        void Jar_shut(Jar* jar) {
          jar->n_ = 2;
        }
        """)
    assert ("kitchen::Jar::open", 3) in [(d.name, d.line) for d in found.definitions]
    assert (6, "write", "jar.n_", "#int") in states(found)
