from __future__ import annotations

from textwrap import dedent

import pytest

from tracer.survey.cpp import survey_cpp
from tracer.survey.facts import Access, Arg, Bind, Call, Definition, FileFacts, Mark


def facts(text: str) -> FileFacts:
    return survey_cpp(dedent(text).encode())


def defined(found: FileFacts) -> list[tuple[str, str, int, int]]:
    return [(d.name, d.kind, d.line, d.parent) for d in found.definitions]


def states(found: FileFacts) -> list[tuple[int, str, str, str]]:
    return [(a.line, a.op, a.target, a.value) for a in found.accesses]


def body(text: str) -> FileFacts:
    """Facts of statements in a function `f` that starts in line 1 (the statements start in line 2)."""
    return survey_cpp(("void f() {\n" + dedent(text).strip("\n") + "\n}\n").encode())


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


# -- what the preprocessor leaves behind -------------------------------------------------------------------------------
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


# -- accesses ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "expected"), [
    ("status_ = State::BUSY;", [("write", "status_", "State::BUSY")]),
    ("this->x = y;", [("write", "this.x", "y")]),
    ("a->b.c = v;", [("write", "a.b.c", "v")]),
    ("(*it).second.n = 1;", [("write", "it.second.n", "#int")]),
    ("n_++; --n_;", [("augment+", "n_", ""), ("augment-", "n_", "")]),
    ("n_ += 2; n_ -= k; n_ |= k;", [("augment+", "n_", "#int"), ("augment-", "n_", "k"), ("augment", "n_", "k")]),
    ("n_ = n_ + 1;", [("augment+", "n_", "?"), ("read", "n_", "")]),
    ("refs_.fetch_add(1); refs_.fetch_sub(1);", [("augment+", "refs_", "#int"), ("augment-", "refs_", "#int")]),
    ("flag_.store(true);", [("write", "flag_", "#bool")]),
    ("t_ = std::max(t_, now);", [("write", "t_", "std::max()"), ("read", "t_", "")]),
    ("m_[k] = v;", [("insert", "m_", "v")]),
    ("m_[a][b] = v;", [("insert", "m_[]", "v")]),
    ("m_[k].n = v;", [("write", "m_[].n", "v")]),
    ("m_[k] += 1;", [("augment+", "m_", "#int")]),
    ("m_.emplace(k, v); m_.erase(k); m_.clear();", [("insert", "m_", "v"), ("remove", "m_", "k"), ("clear", "m_", "")]),
    ("std::swap(a_, b_);", [("clear", "a_", "b_"), ("clear", "b_", "a_")]),
    ("a_.swap(b_);", [("clear", "a_", "b_"), ("clear", "b_", "a_")]),
    ("m_ = {}; m_ = std::map<int, int>();", [("clear", "m_", "#list"), ("clear", "m_", "std::map<int, int>()")]),
    ("p_.reset();", [("write", "p_", "")]),
    ("delete p_;", [("remove", "p_", "")]),
    ("x_ = c ? a : b;", [("write", "x_", "a"), ("write", "x_", "b")]),
    ("int n = 0; n += 1; n++;", []),
    ("std::vector<int> out; out.push_back(1);", []),
    ("auto& q = jobs_; q.push_back(1);", [("insert", "q", "#int"), ("read", "jobs_", "")]),
    ("int* p = g(); *p = 3;", [("write", "p", "#int")]),
    ("visit([](Jar& r) { r.state_ = 1; });", [("write", "r.state_", "#int")]),
    ("g(it->second.size);", [("read", "it.second.size", "")]),
    ("g(MAX, kLimit, State::BUSY);", []),
    ("jobs_.size();", [("read", "jobs_", "")]),
    ("worker_->run();", []),
])  # fmt: skip
def test_accesses(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert sorted((a.op, a.target, a.value) for a in body(text).accesses) == sorted(expected)


def test_reads_in_tests_know_the_test_and_what_they_are_compared_with() -> None:
    found = body("""\
        if (refs_.load() == 0 &&
            !busy_) {
          return status_ != State::DONE;
        }
        while (queue_.empty()) {}
        CHECK(ready_);
        """)
    test = "refs_.load() == 0 && !busy_"
    assert list(found.accesses) == [
        Access(0, "refs_", "read", 2, 3, "#int", test, True),
        Access(0, "busy_", "read", 3, 3, "", test, True),
        Access(0, "status_", "read", 4, 4, "State::DONE", "status_ != State::DONE", True),
        Access(0, "queue_", "read", 6, 6, "", "queue_.empty()", True),
        Access(0, "ready_", "read", 7, 7, "", "CHECK(ready_)", True),
    ]


def test_bare_names_are_reads_when_the_file_has_such_a_field() -> None:
    found = facts("""\
        struct Jar {
          int twice() { return level + height; }
          int level;
        };
        """)
    assert states(found) == [(2, "read", "level", "")]


def test_initialisers_of_a_constructor_are_writes_and_bases_are_calls() -> None:
    found = facts("""\
        struct Jar : Pot {
          Jar(int n) : Pot(n), n_(n), guard_(this, n), name_("x") {}
          int n_;
          Guard guard_;
          std::string name_;
        };
        Far::Far(int n) : Base(n), n_(n) {}
        """)
    assert states(found) == [
        (2, "write", "n_", "n"),
        (2, "write", "guard_", ""),
        (2, "write", "name_", "#str"),
        (7, "write", "n_", "n"),
    ]
    assert [(c.scope, c.callee, c.how) for c in found.calls] == [
        (1, "Pot", ""), (1, "Guard", ""), (2, "Base", ""),
    ]  # fmt: skip


# -- calls -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "callee", "args", "how"), [
    ("invoke_rpc<&Shell::Put, std::string>(key);", "invoke_rpc<&Shell::Put, std::string>", [("key", "key")],
     "statement"),
    ("server.register_handler<&Shell::Put>(&shell);", "server.register_handler<&Shell::Put>", [("shell", "&shell")],
     "statement"),
    ("auto r = co_await pool.send<&Shell::Put>(key);", "pool.send<&Shell::Put>", [("key", "key")], "await"),
    ('g("text", &C::m, [] {}, std::move(x_));', "g",
     [("#str", "text"), ("C::m", "&C::m"), ("#lambda", "[] {}"), ("x_", "std::move(x_)")], "statement"),
    ("auto p = new Jar(1);", "Jar", [("#int", "1")], "new"),
    ("use = Jar{a, b};", "Jar", [("a", "a"), ("b", "b")], ""),
    ("co_await fetch(k);", "fetch", [("k", "k")], "await"),
    ("this->shelf_->find(k)->second.open();", "this.shelf_.find().second.open", [], "statement"),
    ("std::thread t(&Jar::run, this);", "std::thread", [("Jar::run", "&Jar::run"), ("this", "this")], ""),
    ("shelf_[3][\"k\"].open();", "shelf_[3]['k'].open", [], "statement"),
])  # fmt: skip
def test_calls(text: str, callee: str, args: list[tuple[str, str]], how: str) -> None:
    call = body(text).calls[0]
    assert (call.scope, call.callee, call.how) == (0, callee, how)
    assert [(a.path, a.text) for a in call.args] == args


def test_every_def_of_a_binding_is_a_call_on_its_own_line() -> None:
    found = facts("""\
        PYBIND11_MODULE(kitchen, m) {
          py::class_<Jar, std::shared_ptr<Jar>>(m, "Jar")
              .def(py::init<int>())
              .def("open", &Jar::open)
              .def("shut", [](Jar& self) { self.shut(); });
        }
        """)
    assert [(c.callee, c.line) for c in found.calls] == [
        ("PYBIND11_MODULE", 1),
        ("py::class_<Jar>", 2),
        ("py::class_<Jar>().def", 3),
        ("py::init<int>", 3),
        ("py::class_<Jar>().def", 4),
        ("py::class_<Jar>().def", 5),
        ("self.shut", 5),
    ]
    assert found.calls[0].args == (Arg("", "kitchen", "kitchen"), Arg("", "m", "m"))
    assert found.calls[4].args == (Arg("", "#str", "open"), Arg("", "Jar::open", "&Jar::open"))


# -- marks -------------------------------------------------------------------------------------------------------------
def test_marks() -> None:
    found = body("""\
        for (;;) { if (a) break; else continue; }
        try { throw Oops("x"); } catch (const Oops& e) { return; }
        co_return 1;
        """)
    assert [(m.kind, m.line, m.text) for m in found.marks] == [
        ("break", 2, "break;"),
        ("continue", 2, "continue;"),
        ("throw", 3, 'throw Oops("x");'),
        ("catch", 3, "catch (const Oops& e)"),
        ("return", 3, "return;"),
        ("co_return", 4, "co_return 1;"),
    ]
    assert "async" in found.definitions[0].flags


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
    assert all(isinstance(x, Definition | Bind | Call | Mark | Access) for x in (*found.definitions, *found.calls))


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
