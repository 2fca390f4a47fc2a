"""Order on invented code: always, sometimes, never, through callees and to a depth."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world_of
from tracer.errors import UsageError
from tracer.model import EngineRevision, Revision
from tracer.pairs.order import Order, Orders
from tracer.render import pairs as render
from tracer.render.text import plain

CODE = """
class Store:
    def __init__(self):
        self.index = {}
        self.flushed = False
    def flush(self):
        self.flushed = True
    def maybe_flush(self, dirty):
        if dirty:
            self.flushed = True
    def publish(self, key, value):
        self.index[key] = value
    def good(self, key, value):
        self.flush()
        self.publish(key, value)
    def hasty(self, key, value, quick):
        if not quick:
            self.flush()
        self.publish(key, value)
    def wrong(self, key, value):
        self.publish(key, value)
        self.flush()
    def hopeful(self, key, value, dirty):
        self.maybe_flush(dirty)
        self.publish(key, value)
    def both(self, key, value):
        self.good(key, value)
class Deep(Store):
    def deep(self, key, value):
        self.flush()
        self.both(key, value)
"""


def ask(a: str = "Store.flushed:write", b: str = "Store.index:insert", **more: object) -> dict[str, Order]:
    orders = Orders(world_of({"a.py": CODE}), "example", "1").between(a, b, **more)  # type: ignore[arg-type]
    return {o.symbol.rpartition(".")[2]: o for o in orders}


def test_always_sometimes_never() -> None:
    found = ask()
    assert {name: o.verdict for name, o in found.items()} == {
        "good": "always", "hasty": "sometimes", "wrong": "never", "deep": "always",
    }
    start = found["hasty"].def_line
    assert [line - start for line in found["hasty"].path] == [1, 3]


def test_a_callee_that_does_it_only_sometimes_does_not_count() -> None:
    assert "hopeful" not in ask()


def test_cpp_through_functions_on_one_line() -> None:
    code = """
    struct Replica { int refs_ = 0; void Drop() { --refs_; } };
    struct Master {
        std::map<int, Replica*> tasks_;
        void Forget(int id) { tasks_.erase(id); }
        void End(int id, Replica* r) {
            r->Drop();
            Forget(id);
        }
        void Hasty(int id, Replica* r) {
            if (r->refs_ > 0) r->Drop();
            Forget(id);
        }
    };
    """
    asked = Orders(world_of({"a.cpp": code}), "example", "1")
    orders = asked.between("Replica::refs_:augment-", "Master::tasks_:remove")
    assert {o.symbol.rpartition("::")[2]: o.verdict for o in orders} == {"End": "always", "Hasty": "sometimes"}


def test_depth_and_function() -> None:
    assert set(ask(depth=1)) == {"good", "hasty", "wrong"}
    assert set(ask(depth=0)) == set()
    assert set(ask(inside="Store.good")) == {"good"}


def test_calls_and_errors() -> None:
    assert ask("Store.flush", "Store.publish")["good"].verdict == "always"
    with pytest.raises(UsageError, match=r"nothing here is 'Store\.nothing'"):
        ask("Store.nothing")
    with pytest.raises(UsageError, match="there is no op 'poke'"):
        ask("Store.flushed:poke")


def test_rendering() -> None:
    engine = EngineRevision("example", "1", Revision("folder", "d" * 32))
    orders = list(ask().values())
    lines = [plain(line) for line in render.order_text(engine, "A", "B", orders)]
    assert any("hasty  sometimes" in line for line in lines)
    assert any("a way without it" in line for line in lines)
    doc = render.order_document(engine, "A", "B", orders)
    assert [f["verdict"] for f in doc["functions"]] == [o.verdict for o in orders]
    assert "| sometimes |" in "\n".join(render.order_markdown(engine, "A", "B", orders))


def test_branches_on_one_line() -> None:
    code = """
    struct Replica { int refs_ = 0; bool Drop() { --refs_; return refs_ == 0; } };
    struct Master {
        std::map<int, Replica*> tasks_;
        void Forget(int id) { tasks_.erase(id); }
        void Head(int id, Replica* r) {
            if (!r->Drop()) return;
            Forget(id);
        }
        void Both(int id, Replica* r) {
            if (r->Drop()) Forget(id);
        }
        void Body(int id, Replica* r) {
            if (id > 0) r->Drop();
            Forget(id);
        }
        void Reverse(int id, Replica* r) {
            if (tasks_.erase(id)) r->Drop();
        }
    };
    """
    asked = Orders(world_of({"a.cpp": code}), "example", "1")
    orders = asked.between("Replica::refs_:augment-", "Master::tasks_:remove")
    assert {o.symbol.rpartition("::")[2]: o.verdict for o in orders} == {
        "Head": "always", "Both": "always", "Body": "sometimes", "Reverse": "never",
    }


def test_python_branches_on_one_line() -> None:
    code = """
class Store:
    def __init__(self):
        self.index = {}
        self.held = 0
    def take(self):
        self.held += 1
        return True
    def publish(self, key):
        if not self.take(): return
        self.index[key] = 1
    def hasty(self, key):
        if key: self.take()
        self.index[key] = 1
"""
    orders = Orders(world_of({"a.py": code}), "example", "1").between("Store.held:augment+", "Store.index:insert")
    assert {o.symbol.rpartition(".")[2]: o.verdict for o in orders} == {"publish": "always", "hasty": "sometimes"}


def test_what_a_callee_always_does_after_its_own_a_is_no_matter_of_the_caller() -> None:
    code = CODE + '''
class Careful(Store):
    def skips(self, key, value, quick):
        if quick:
            return
        self.flush()
        self.publish(key, value)
    def passes(self, key, value):
        self.skips(key, value, False)
    def after(self, key, value):
        self.passes(key, value)
        self.flush()
    def mixed(self, key, value):
        self.passes(key, value)
        self.publish(key, value)
        self.flush()
'''
    orders = Orders(world_of({"a.py": code}), "example", "1").between("Store.flushed:write", "Store.index:insert")
    found = {o.symbol.rpartition(".")[2]: o.verdict for o in orders if "Careful" in o.symbol}
    assert found == {"skips": "always", "after": "always", "mixed": "never"}
