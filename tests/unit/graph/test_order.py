"""The same bytes, whatever was asked first and however the interpreter hashes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from tests.unit.worlds import world_of
from tracer.graph.edges import Edges
from tracer.graph.uses import Uses

FILES = {
    "app/base.py": """
        import abc
        class Store(abc.ABC):
            def __init__(self, peer=None):
                self.peer = peer or make(self)
                self.jobs = []
            @abc.abstractmethod
            def put(self, item): ...
            def drain(self):
                taken, self.jobs = self.jobs, []
                return taken
        def make(owner):
            from app.disk import Disk
            return Disk(owner)
    """,
    "app/disk.py": """
        import queue, threading
        from app.base import Store
        from app.loop import Loop
        class Disk(Store):
            def __init__(self, peer):
                super().__init__(peer)
                self.queue = queue.Queue()
                self.loop = Loop(self.queue, {"put": self.put, "drop": self.drop})
                threading.Thread(target=self.loop.run).start()
            def put(self, item):
                self.queue.put(item)
                self.peer.put(item)
            def drop(self, item):
                self.jobs.append(item)
    """,
    "app/loop.py": """
        class Loop:
            def __init__(self, inbox, table):
                self.inbox, self.table = inbox, table
                self.jobs = set()
            def run(self):
                while True:
                    kind, item = self.inbox.get()
                    self.table[kind](item)
                    self.jobs.add(item)
            def empty(self):
                self.jobs.clear()
    """,
    "app/near.py": """
        from app import disk
        class Near(disk.Disk):
            def put(self, item):
                for other in self.drain():
                    other.put(item) or self.peer.drop(other)
    """,
    "lib/pool.cpp": """
        namespace lib {
        struct Task { int id; ~Task() { done(); } void done(); };
        class Pool {
         public:
          void push(Task t) { tasks_.push_back(t); ready_ = true; }
          void push(Task t, int n) { push(t); }
          void run() { while (ready_) { tasks_.pop_back(); } }
          void start() { worker_ = std::thread([this] { run(); }); }
         private:
          std::vector<Task> tasks_;
          std::atomic<bool> ready_;
          std::thread worker_;
        };
        }
    """,
    # As far from where a thread begins as is still its own, and one step further.
    "app/steps.py": """
        import threading
        class Steps:
            def __init__(self):
                self.first, self.third, self.fourth = [], [], []
                threading.Thread(target=self.begin).start()
            def four(self):
                self.fourth.pop()
            def three(self):
                self.third.pop()
                self.four()
            def two(self):
                self.three()
            def one(self):
                self.first.pop()
                self.two()
            def begin(self):
                self.one()
    """,
    "app/far.py": """
        from app.steps import Steps
        def fill(steps: Steps, item):
            steps.fourth.append(item)
    """,
    "app/within.py": """
        from app.steps import Steps
        def fill(steps: Steps, item):
            steps.third.append(item)
    """,
    # As many locals as are followed from a field, and one more.
    "lib/a_shelf.cpp": """
        namespace lib {
        class Shelf {
         public:
          void take() {
            auto& a = books_;
            auto& b = a;
            auto& c = b;
            auto& d = c;
            auto& e = d;
            auto& f = e;
            f.push_back(1);
            d.pop_back();
          }
          std::vector<int> books_;
        };
        }
    """,
    "lib/shop.cpp": """
        #include "a_shelf.cpp"
        namespace lib {
        void stock(Shelf* shelf) { shelf->books_.push_back(2); }
        }
    """,
}


def graph(order: Callable[[list[int]], Iterable[int]]) -> list[bytes]:
    """The packed edges of each file of a fresh world, which is asked in this order."""
    world = world_of(FILES)
    edges = Edges(Uses(world))
    found = {n: msgspec.msgpack.encode(edges.in_order(n)) for n in order(list(range(world.size)))}
    return [found[n] for n in sorted(found)]


@pytest.mark.parametrize("seed", range(6))
def test_the_order_in_which_files_are_asked_does_not_matter(seed: int) -> None:
    forwards = graph(lambda files: files)
    assert sum(map(len, forwards)) > 1000
    assert graph(reversed) == forwards
    assert graph(lambda files: random.Random(seed).sample(files, len(files))) == forwards


def test_the_hash_seed_does_not_matter() -> None:
    code = "import sys; from tests.unit.graph.test_order import graph as g; sys.stdout.buffer.write(b''.join(g(list)))"
    root = Path(__file__).resolve().parents[3]
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        ).stdout
        for seed in ("0", "1", "20")
    }
    assert found == {b"".join(graph(list))}
