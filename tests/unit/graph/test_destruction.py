"""Destructors that a statement runs without naming them."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

CPP = """
    namespace kv {
    class Buffer { public: ~Buffer() { give_back(); } };
    struct Memory { std::unique_ptr<Buffer> buffer; };
    struct View { Buffer* buffer; };
    class Replica { public: std::variant<Memory, View> data_; ~Replica() { count(); } };
    class Owner {
        std::vector<std::vector<Replica>> replicas_;
        std::vector<View> views_;
        std::unique_ptr<Buffer> one_;
        std::map<int, Memory> by_key_;
        void go() { %s }
    };
    }
"""


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("replicas_.clear();", {"kv::Replica::~Replica", "kv::Buffer::~Buffer"}),
        ("by_key_.erase(3);", {"kv::Buffer::~Buffer"}),
        ("one_.reset();", {"kv::Buffer::~Buffer"}),
        ("views_.clear();", set()),
        ("replicas_.size();", set()),
    ],
)
def test_what_ends_an_object_runs_its_destructor_and_those_of_what_it_owns(body, want):
    found = {e.target for e in edges_of(world(a_cpp=CPP % body)) if e.source == "kv::Owner::go" and "~" in e.target}
    assert found == want
