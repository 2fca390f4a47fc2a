"""C++ constructors that no call names: members in initialisers, what factories make, pointers around `new`."""

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

CODE = """
    #include <memory>
    namespace n {
    class Pool { public: Pool(int n); Pool(int n, int m); void go(); };
    class Plain { int x; };
    class Base { public: Base(int); };
    class Engine : public Base {
     public:
      Engine(Pool* other, Pool& lent);
      static std::shared_ptr<Engine> Create();
      int Connect();
      Pool pool_;
      std::unique_ptr<Plain> plain_;
      Pool* raw_;
      Pool& lent_;
      int n_;
    };
    Pool::Pool(int n) {}
    Pool::Pool(int n, int m) {}
    int Engine::Connect() { return 1; }
"""


def edges(code):
    return {(e.source, e.target, e.line) for e in edges_of(world(a_cpp=CODE + code + "}\n")) if e.basis != "unresolved"}


def test_a_member_that_is_an_object_is_constructed_by_its_initialiser():
    found = edges(
        "Engine::Engine(Pool* other, Pool& lent)\n    : Base(1), pool_(2), raw_(other), lent_(lent), n_(3) {}\n"
    )
    targets = [t for s, t, _ in found if s == "n::Engine::Engine"]
    assert sorted(targets) == ["n::Base::Base", "n::Pool::Pool"]


def test_pointers_and_what_is_handed_on_construct_nothing():
    held = "class Box { public: Box(Pool* other, Pool& lent); Pool* raw_; Pool& lent_; int n_; };\n}\n"
    body = '#include "a.h"\nnamespace n {\nBox::Box(Pool* other, Pool& lent) : raw_(other), lent_(lent), n_(3) {}\n}\n'
    found = edges_of(world(a_h=CODE + held, b_cpp=body))
    assert not [e for e in found if e.source == "n::Box::Box" and e.basis != "unresolved"]


def test_a_member_is_constructed_where_its_class_is_written_elsewhere():
    held = "class Box { public: Box(int n); Pool pool_; };\n}\n"
    body = '#include "a.h"\nnamespace n {\nBox::Box(int n) : pool_(n, 2) {}\n}\n'
    found = edges_of(world(a_h=CODE + held, b_cpp=body))
    assert [e.target for e in found if e.source == "n::Box::Box"] == ["n::Pool::Pool"]


def test_a_factory_runs_the_constructor_that_takes_so_many_arguments():
    w = world(
        a_cpp=CODE + "void f() { auto p = std::make_shared<Pool>(1, 2); p->go(); std::make_unique<Plain>(); }\n}\n"
    )
    found = [(e.target, e.basis) for e in edges_of(w) if e.source == "n::f"]
    assert ("n::Pool::Pool", "exact") in found and ("n::Plain", "exact") in found and ("n::Pool::go", "typed") in found
    assert len([t for t, _ in found if t == "n::Pool::Pool"]) == 1


def test_what_a_pointer_around_new_points_to_is_known():
    code = "std::shared_ptr<Engine> Engine::Create() {\n auto e = std::shared_ptr<Engine>(new Engine(p, q));\n"
    assert ("n::Engine::Create", "n::Engine::Connect") in {
        (s, t) for s, t, _ in edges(code + "e->Connect();\n return e; }\n")
    }
