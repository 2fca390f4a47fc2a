from __future__ import annotations

import pytest

from tests.unit.survey.cpp_facts import body, facts, states
from tracer.survey.facts import Access, Arg


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


# -- more of C++ ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "expected"), [
    ("__atomic_fetch_add(&task->done, 1, __ATOMIC_RELAXED);", [("augment+", "task.done", "#int")]),
    ("__sync_fetch_and_sub(&refs_, n);", [("augment-", "refs_", "n")]),
    ("__atomic_store_n(&task->sealed, true, __ATOMIC_RELEASE);", [("write", "task.sealed", "#bool")]),
    ("auto n = __atomic_load_n(&task->done, __ATOMIC_ACQUIRE);", [("read", "task.done", "")]),
    ("std::atomic_store(&slot_, fresh);", [("write", "slot_", "fresh")]),
    ("atomicAdd(&out[i], v);", [("augment+", "out", "v")]),
    ("std::atomic_thread_fence(std::memory_order_acquire);", []),
    ("int n = 0; __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);", []),
])  # fmt: skip
def test_atomic_functions_change_what_they_point_to(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(a.op, a.target, a.value) for a in body(text).accesses] == expected


def test_static_locals_are_states() -> None:
    assert states(body("static std::map<int, int> cache;\ncache[1] = 2;")) == [(3, "insert", "cache", "#int")]


def test_a_call_of_a_member_template_that_parses_as_a_comparison_is_a_call() -> None:
    found = body("server.handle<&Shell::Put>(&shell_);\nbool b = x_ < y_;")
    assert [(c.callee, c.how, [a.path for a in c.args]) for c in found.calls] == [
        ("server.handle<&Shell::Put>", "statement", ["shell_"]),
    ]  # fmt: skip
    assert states(found) == [(2, "read", "shell_", ""), (3, "read", "x_", "y_"), (3, "read", "y_", "x_")]


def test_printing_and_casts_are_no_calls_but_their_arguments_are_read() -> None:
    found = body('LOG(INFO) << "n=" << n_ << static_cast<int>(m_) << g(std::move(k_));')
    assert [c.callee for c in found.calls] == ["g"]
    assert [a.target for a in found.accesses] == ["n_", "m_", "k_"]


def test_modules_of_bindings_and_tests_have_names() -> None:
    found = facts("""\
        TORCH_LIBRARY_EXPAND(_ops, m) { m.def("f(int x) -> int"); }
        TEST_F(JarTest, Opens) { ASSERT_TRUE(jar_.open()); }
        """)
    assert [d.name for d in found.definitions] == ["TORCH_LIBRARY_EXPAND", "TEST_F::JarTest::Opens"]
    assert [(c.scope, c.callee) for c in found.calls] == [
        (0, "TORCH_LIBRARY_EXPAND"), (0, "m.def"), (1, "ASSERT_TRUE"), (1, "jar_.open"),
    ]  # fmt: skip


def test_a_reflection_macro_in_a_class_is_no_method() -> None:
    found = facts("struct Jar {\n  int n;\n  REFLECT(Jar, n);\n};\n")
    assert [d.name for d in found.definitions] == ["Jar"]
    assert [(c.scope, c.callee, [a.path for a in c.args]) for c in found.calls] == [(0, "REFLECT", ["Jar", "n"])]


def test_what_a_lambda_does_belongs_to_the_function_around_it() -> None:
    found = body("""\
        visit(all_, [&](Jar& jar) {
          jar.shut();
          if (jar.full) return 1;
          count_++;
          return 0;
        });
        return 2;
        """)
    assert {c.scope for c in found.calls} == {0}
    assert states(found) == [(2, "read", "all_", ""), (4, "read", "jar.full", ""), (5, "augment+", "count_", "")]
    assert [(b.name, b.value) for b in found.binds if b.name == "return"] == [("return", "#int")]
    assert [m.line for m in found.marks] == [4, 6, 8]


def test_lines_of_a_statement_over_several_lines() -> None:
    found = body("""\
        map_[key] =
            make(
                a_);
        """)
    insert, read = found.accesses
    assert (insert.line, insert.last, insert.text) == (2, 4, "make( a_)")
    assert (read.line, read.last) == (4, 4)
    assert (found.calls[0].line, found.calls[0].last) == (3, 4)
