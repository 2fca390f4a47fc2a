"""Names that native code gives to Python are sources of their own."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def test_the_python_name_of_a_bound_method_reaches_what_runs_with_its_overrides():
    cpp = """
        namespace kv {
        class Client { public: virtual int put(int k) = 0; };
        class Real : public Client { public: int put(int k) override { return k; } };
        class Wrapper { public: std::shared_ptr<Client> client_; int size() { return 1; } };
        PYBIND11_MODULE(store, m) {
            py::class_<Wrapper>(m, "Store")
                .def("put", [](Wrapper &self, int k) { return self.client_->put(k); })
                .def("size", &Wrapper::size);
        }
        }
    """
    found = {(e.source, e.target) for e in edges_of(world(s_cpp=cpp)) if e.kind == "binding"}
    assert found == {("store.Store.put", "kv::Real::put"), ("store.Store.size", "kv::Wrapper::size")}
