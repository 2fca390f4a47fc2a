"""State is told apart by type: the right field's accesses, all of them, and no other's."""

from __future__ import annotations

import pytest

from tests.unit.worlds import world, world_of
from tracer.graph.uses import Uses

POOL = """
    from dataclasses import dataclass

    @dataclass
    class Block:
        number: int
        refs: int = 0

    class Other:
        def __init__(self):
            self.refs = 0

        def grow(self):
            self.refs += 1

    class Pool:
        def __init__(self, blocks: list[Block]):
            self.blocks = blocks
            self.index: dict[bytes, Block] = {}
            self.staging = {}

        def take(self, key):
            block = self.index[key]
            block.refs += 1
            return block

        def give(self, blocks):
            for block in self.blocks:
                block.refs -= 1

        def step(self, block: "Block"):
            n = block.refs
            block.refs = n + 1

        def put(self, key, block: Block):
            self.index[key] = block
            per_key = self.staging.setdefault(key, {})
            per_key[1] = block

        def drop(self, key):
            self.index.pop(key, None)
            inner = self.staging[key]
            inner.pop(1)

        def forget(self):
            self.index = {}
"""


def lines(found, op):
    return [m.line for m in found if m.op == op]


def test_a_field_is_not_the_field_of_another_class():
    uses = Uses(world(pool_py=POOL))
    assert lines(uses.state("Block.refs"), "augment+") == [23, 32]
    assert lines(uses.state("Block.refs"), "augment-") == [28]
    assert lines(uses.state("Other.refs"), "augment+") == [13]


def test_what_a_constructor_does_is_birth_and_no_write():
    uses = Uses(world(pool_py=POOL))
    assert lines(uses.state("Other.refs"), "write") == []
    assert lines(uses.state("Other.refs"), "init") == [10]
    assert lines(uses.state("Pool.index"), "clear") == [45]


def test_container_operations_also_through_local_aliases():
    uses = Uses(world(pool_py=POOL))
    assert lines(uses.state("Pool.index"), "insert") == [35]
    assert lines(uses.state("Pool.index"), "remove") == [40]
    assert lines(uses.state("Pool.staging"), "insert") == [36, 37]
    assert lines(uses.state("Pool.staging"), "remove") == [42]


def test_a_subclass_counts_and_a_namesake_does_not():
    uses = Uses(
        world_of(
            {
                "base.py": "class Task:\n    def __init__(self):\n        self.state = 0\n",
                "sub.py": "from base import Task\nclass Load(Task):\n    def end(self):\n        self.state = 2\n",
                "other.py": "class Task:\n    def end(self):\n        self.state = 3\n",
            }
        )
    )
    found = [(uses.world.path(m.file), m.line, m.basis) for m in uses.state("base.Task.state") if m.op == "write"]
    assert found == [("sub.py", 4, "inherited")]


@pytest.mark.parametrize(
    ("body", "op"),
    [
        ("p.held[k] = 1", "insert"),
        ("p.held[k] += 1", "augment+"),
        ("del p.held[k]", "remove"),
        ("p.held.clear()", "clear"),
        ("p.held = {}", "clear"),
        ("p.held = make()", "write"),
        ("p.held.update(k)", "insert"),
        ("p.held |= k", "insert"),
        ("if p.held: pass", "read"),
        ("for x in p.held.items(): pass", "read"),
        ("h = p.held\n    h.pop(k)", "remove"),
        ("p.held[k].append(1)", "insert"),
    ],
)
def test_operations_on_a_container_field(body, op):
    uses = Uses(world(a_py=f"class P:\n    held: dict\ndef f(p: P, k):\n    {body}\n"))
    assert op in [m.op for m in uses.state("P.held")]


def test_an_untyped_receiver_is_known_by_what_is_used_on_it():
    text = """
        class Node:
            def __init__(self):
                self.lock = 0
                self.parent = None
        class Door:
            def __init__(self):
                self.lock = 0
                self.handle = None
        def walk(n):
            while n.parent:
                n.lock += 1
                n = n.parent
        def guess(x):
            x.lock += 1
    """
    uses = Uses(world(a_py=text))
    found = [(m.line, m.basis) for m in uses.state("Node.lock") if m.op == "augment+"]
    assert found == [(11, "by_name")]  # `guess` could mean either class: it is left out


def test_types_flow_from_callers_containers_and_properties():
    text = """
        class Entry:
            hits: int = 0
        class Store:
            def __init__(self):
                self._rows = []
            def add(self):
                self._rows.append(Entry())
            @property
            def newest(self):
                return self._rows[-1]
        def bump(entry):
            entry.hits += 1
        def run(store: Store):
            store.newest.hits += 1
            bump(store.newest)
            for i, e in enumerate(store._rows):
                e.hits -= 1
    """
    uses = Uses(world(a_py=text))
    found = [(m.line, m.op) for m in uses.state("Entry.hits") if m.op.startswith("augment")]
    assert found == [(12, "augment+"), (14, "augment+"), (17, "augment-")]


def test_calls_by_receiver_type_through_aliases_and_overrides():
    text = """
        class Cache:
            def close(self): ...
        class Big(Cache):
            def __init__(self):
                self.finish = self.close
            def close(self): ...
        class Window:
            def close(self): ...
        def f(c: Cache, b: Big, w: Window):
            c.close()
            b.close()
            b.finish()
            w.close()
    """
    uses = Uses(world(a_py=text))
    assert [m.line for m in uses.called("Cache.close")] == [10, 11, 12]


def test_external_library_calls_by_dotted_name():
    text = """
        import os
        from threading import Event as Flag
        class Job:
            def __init__(self):
                self.done = Flag()
            def end(self, a, b):
                self.done.set()
                os.replace(a, b)
    """
    uses = Uses(world(a_py=text))
    assert [m.line for m in uses.called("threading.Event.set")] == [7]
    assert [m.line for m in uses.called("os.replace")] == [8]
    assert [m.line for m in uses.called_on("set", "Job.done")] == [7]


def test_decorated_functions_overrides_and_definitions():
    text = """
        import abc
        def handler(f): return f
        class Adapter(abc.ABC):
            @abc.abstractmethod
            def put(self): ...
        class Disk(Adapter):
            @handler
            def put(self): ...
        class Net(Adapter):
            def put(self): ...
    """
    uses = Uses(world(a_py=text))
    assert [m.line for m in uses.defined("@handler")] == [8]
    assert [m.line for m in uses.overrides("Adapter.put")] == [8, 10]
    assert [m.line for m in uses.defined("Disk")] == [6]


CPP = """
    namespace kv {
    enum class State { OPEN, SHUT };
    class Copy {
     public:
      void seal() { state_ = State::SHUT; }
      void hold() { refs_.fetch_add(1); }
      void drop() { --refs_; }
     private:
      State state_ = State::OPEN;
      std::atomic<int> refs_{0};
    };
    class Box {
      void keep(const std::string& k, Copy c);
      void lose(const std::string& k);
      std::unordered_map<std::string, Copy> copies_;
    };
    void Box::keep(const std::string& k, Copy c) {
      copies_.emplace(k, c);
    }
    void Box::lose(const std::string& k) {
      auto it = copies_.find(k);
      it->second.drop();
      copies_.erase(it);
    }
    }
"""


def test_cpp_members_by_class():
    uses = Uses(world(box_cpp=CPP))
    assert lines(uses.state("Copy.state_"), "write") == [5]
    assert lines(uses.state("kv::Copy::refs_"), "augment+") == [6]
    assert lines(uses.state("Copy.refs_"), "augment-") == [7]
    assert lines(uses.state("Box.copies_"), "insert") == [18]
    assert lines(uses.state("Box.copies_"), "remove") == [23]
    assert [m.line for m in uses.called("Copy.drop")] == [22]


def test_a_mixins_self_may_be_annotated_with_the_class_it_is_for():
    uses = Uses(
        world(
            core_py="""
            class Loop:
                def turn(self: "Core"):
                    self.pending.append(1)

                def reset(self: "Core"):
                    self.pending = []

            class Core(Loop):
                def __init__(self):
                    self.pending = []
            """
        )
    )
    assert lines(uses.state("Core.pending"), "insert") == [3]
    assert lines(uses.state("Core.pending"), "clear") == [6]


def test_what_a_local_list_holds_comes_from_its_appends_and_from_tuples_of_a_comprehension():
    uses = Uses(
        world(
            tree_py="""
            import heapq

            class Node:
                def __init__(self):
                    self.parent: Node = None
                    self.children = {}
                    self.pins = 0

            class Other:
                def __init__(self):
                    self.children = {}

            class Tree:
                def __init__(self):
                    self.root = Node()
                    self.ready = {self.root}

                def leaves(self):
                    found = []
                    found.append(self.root)
                    return found

                def shrink(self):
                    for node in self.leaves():
                        node.pins -= 1

                def evict(self):
                    heap = [(rank(n), n) for n in list(self.ready)]
                    _, node = heapq.heappop(heap)
                    self.drop(node)

                def drop(self, node):
                    node.parent.children.pop(1)
            """
        )
    )
    assert lines(uses.state("Node.pins"), "augment-") == [25]
    assert lines(uses.state("Node.children"), "remove") == [33]


def test_a_subclass_of_a_class_imported_under_another_name_is_one():
    it = world(
        pool_py="""
        class Pool:
            def take(self): ...
        """,
        wide_py="""
        from pool import Pool as Plain

        class WidePool(Plain):
            def take(self): ...
        """,
    )
    (pool,) = it.classes("Pool")
    assert [it.name(s) for s in it.subclasses(pool)] == ["WidePool"]
    assert [it.path(m.file) for m in Uses(it).overrides("Pool.take")] == ["wide.py"]


def test_a_sorted_copy_kept_in_a_field_holds_what_the_original_holds():
    uses = Uses(
        world(
            sort_py="""
            class Job:
                def __init__(self):
                    self.done = False

            class Plan:
                def make(self, jobs: list[tuple[int, Job]]):
                    self.jobs = sorted(jobs, key=len)

                def close(self):
                    for _, job in self.jobs:
                        job.done = True
            """
        )
    )
    assert lines(uses.state("Job.done"), "write") == [11]


GENERIC = """
    from typing import Callable, Dict, Generic, TypeVar

    class Region:
        def release(self): ...

    class Node:
        def __init__(self, region: Region):
            self.region: Region = region

    class Other:
        def release(self): ...

    N = TypeVar("N", bound="Node")
    E = TypeVar("E", Node, Other)
    T = TypeVar("T")
    F = TypeVar("F", bound=Callable)

    def timed(f: F) -> F:
        return f

    class Policy(Generic[N, E, T]):
        def __init__(self):
            self.nodes: Dict[str, N] = {}
            self.either: list[E] = []
            self.any: list[T] = []

        def drop(self, key):
            node = self.nodes.pop(key, None)
            node.region.release()

        def constrained(self):
            self.either[0].region.release()

        def anything(self):
            self.any[0].region.release()

    @timed
    def make() -> Region:
        return Region()

    def decorated():
        make().release()
"""


def test_a_type_variable_stands_for_its_bound_or_its_constraints() -> None:
    found = Uses(world(policy_py=GENERIC)).called("Region.release")
    assert [(m.line, m.basis) for m in found if m.basis == "typed"] == [(29, "typed"), (32, "typed"), (42, "typed")]


def test_a_local_stands_for_the_field_of_the_record_it_came_from_or_went_into():
    uses = Uses(
        world(
            copies_py="""
            from typing import NamedTuple

            class Ack(NamedTuple):
                start: object
                finish: object
                ids: list[int]

            class Other(NamedTuple):
                start: object
                finish: object

            class Copier:
                def __init__(self):
                    self.acks: list[Ack] = []
                    self.others: list[Other] = []

                def write(self, ids):
                    begun, ended = make_events()
                    begun.record()
                    ended.record()
                    self.acks.append(Ack(begun, ended, ids))

                def check(self):
                    for _, ended, ids in self.acks:
                        if not ended.query():
                            break
                    begun, ended = self.others.pop()
                    begun.query()
            """
        )
    )
    assert [m.line for m in uses.called_on("record", "Ack.finish")] == [20]
    assert [m.line for m in uses.called_on("record", "Other.finish")] == []
    assert [m.line for m in uses.called_on("query", "Ack.finish")] == [25]
    assert [m.line for m in uses.called_on("query", "Other.start")] == [28]


def test_the_places_of_a_tuple_that_is_kept_or_given_back() -> None:
    at = world(
        m_py="""
        import zmq

        class Node:
            def free(self): ...

        class Other:
            def free(self): ...

        class Cache:
            _sockets = {}
            _ctx = zmq.Context()

            def __init__(self):
                self.running = {}

            def start(self, key, node: Node, other: Other):
                self.running[key] = (node, other, 3)

            @classmethod
            def connect(cls, where):
                cls._sockets[where] = cls._ctx.socket(zmq.PUSH)
                return cls._sockets[where], where

            def end(self, key):
                node, other, _ = self.running.pop(key)
                node.free()
                other.free()
                sock, _ = self.connect(key)
                sock.send(b"")

        def plain(x):
            return x, x
        """
    )
    uses = Uses(at)
    assert [m.line for m in uses.called("Node.free")] == [26]
    assert [m.line for m in uses.called("Other.free")] == [27]
    assert [m.line for m in uses.called("zmq.Socket.send")] == [29]


def test_a_function_of_a_native_module_that_stands_in_no_file_is_found_by_its_name() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "import pkg.c_ops as ops\n\ndef go(other):\n    ops.drain_all()\n    other.drain_all()\n",
    }
    found = Uses(world_of(files)).called
    assert [m.line for m in found("drain_all")] == [4]
    assert [m.line for m in found("pkg.c_ops.drain_all")] == [4]
    assert not found("c.drain_all")


TESTED = """
    from somewhere import Base

    class Mine(Base):
        def __init__(self):
            self.requests = []

    class Other(Base):
        def __init__(self):
            self.requests = []

    class Worker:
        def current(self) -> Base: ...

        def step(self):
            meta = self.current()
            assert isinstance(meta, Mine)
            meta.requests.pop()

        def either(self, meta: Base):
            if isinstance(meta, (Mine, Other)):
                meta.requests.clear()
"""


@pytest.mark.parametrize("base", ["from somewhere import Base", "class Base: ..."])
def test_a_test_of_the_class_tells_which_subclass_has_the_field(base):
    uses = Uses(world(a_py=TESTED.replace("from somewhere import Base", base)))
    assert [(m.line, m.op) for m in uses.state("Mine.requests") if m.op != "init"] == [(17, "remove"), (21, "clear")]
    assert [(m.line, m.op) for m in uses.state("Other.requests") if m.op != "init"] == [(21, "clear")]


def test_a_method_that_only_the_constructor_calls_is_part_of_construction():
    uses = Uses(
        world(
            a_py="""
            class Table:
                def __init__(self):
                    self._init_rows()

                def _init_rows(self):
                    self.rows = {}

                def _init_again(self):
                    self.rows = {}

                def reset(self):
                    self._init_again()
            """
        )
    )
    assert [m.op for m in uses.state("Table.rows")] == ["init", "clear"]


def test_a_field_that_only_others_set_and_a_list_made_for_a_call() -> None:
    at = world(
        m_py="""
        class Node:
            def free(self): ...

        class Other:
            def free(self): ...

        class Group:
            def __init__(self):
                self.leader = None

        class Job:
            def __init__(self):
                self.node = Node()

        def lead(group: Group, node: Node):
            group.leader = node

        def end(group: Group):
            group.leader.free()

        def free_all(items):
            for item in items:
                item.free()

        def stop(jobs: list[Job]):
            free_all([job.node for job in jobs])
        """
    )
    uses = Uses(at)
    assert [m.line for m in uses.called("Node.free")] == [19, 23]
    assert [m.line for m in uses.called("Other.free")] == []


def test_a_method_that_only_a_subclass_has_is_called_on_what_is_known_as_its_base() -> None:
    uses = Uses(
        world(
            a_py="""
            class Shelf:
                def free(self): ...

            class DoubleShelf(Shelf):
                def free_lower(self): ...

            class Box:
                def free_lower(self): ...

            def tidy(shelf: Shelf, box: Box):
                shelf.free_lower()
                box.free_lower()
            """
        )
    )
    assert [(m.line, m.basis) for m in uses.called("DoubleShelf.free_lower")] == [(11, "inherited")]
    assert [m.line for m in uses.called("Box.free_lower")] == [12]


def test_what_a_defaultdict_makes_for_a_missing_key_is_known() -> None:
    uses = Uses(
        world(
            a_py="""
            from collections import defaultdict

            class Twig:
                def __init__(self):
                    self.twigs = defaultdict(Twig)
                    self.leaves = defaultdict(list)

            class Other:
                def __init__(self):
                    self.twigs = defaultdict(lambda: Other())

            def prune(twig: Twig, other: Other):
                for name, inner in twig.twigs.items():
                    del inner.twigs[name]
                under = other.twigs[name]
                del under.twigs[name]
            """
        )
    )
    assert lines(uses.state("Twig.twigs"), "remove") == [14]
    assert lines(uses.state("Other.twigs"), "remove") == [16]


def test_a_cpp_method_called_by_its_qualified_name_is_a_call_of_its_class() -> None:
    uses = Uses(
        world(
            a_cpp="""
            class Notary {
               public:
                static void Stamp(int lease);
            };
            class Clerk {
               public:
                static void Stamp(int lease);
                void Work();
            };
            void Notary::Stamp(int lease) {}
            void Clerk::Stamp(int lease) {}
            void Clerk::Work() {
                Notary::Stamp(1);
                Stamp(2);
            }
            """
        )
    )
    assert [m.line for m in uses.called("Notary.Stamp")] == [13]
    assert [m.line for m in uses.called("Clerk.Stamp")] == [14]
