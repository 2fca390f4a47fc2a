"""Declared crossings: each form of an end, the keys that join two ends, and what a bad file is told."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.unit.worlds import world
from tracer.errors import RuleError
from tracer.graph.declarations import load
from tracer.graph.declared import Declared
from tracer.graph.uses import Uses


def joined(tmp_path: Path, text: str, w):
    (tmp_path / "crossings").mkdir(exist_ok=True)
    file = tmp_path / "crossings" / "example.yaml"
    file.write_text(f"- id: example.one\n  why: a test\n{text}", encoding="utf-8")
    declared = Declared(Uses(w), load(file, tmp_path))
    found = [c for number in range(w.size) for c in declared.of_file(number)]
    assert all(c[3] == "declared" for c in found)
    return {(w.symbol(a), w.symbol(b), kind) for a, b, kind, *_ in found}


RPC = """
    class Client:
        def save(self, k): ...
        def load(self, k): ...
    def go(c: Client):
        c.save(1)
    class Server:
        @handler
        def save(self, k): ...
        @handler(op="load")
        def fetch(self, k): ...
    def back(c: Client):
        c.load(1)
"""


def test_a_decorated_handler_answers_the_client_s_call_of_the_same_name(tmp_path):
    text = """
  kind: rpc
  from: { call: "Client.*", key: name }
  to: { decorator: handler, key: [decorator op, name] }
"""
    assert joined(tmp_path, text, world(a_py=RPC)) == {
        ("a.go", "a.Server.save", "rpc"),
        ("a.back", "a.Server.fetch", "rpc"),
    }


def test_a_request_s_enum_member_finds_the_function_registered_for_it(tmp_path):
    code = """
        from enum import Enum
        class Ask(Enum):
            SAVE = 1
            LOAD = 2
        def send(c):
            c.submit(Ask.SAVE, 1)
        class Server:
            def save(self): ...
            def load(self): ...
            def table(self):
                return [Spec(Ask.SAVE, self.save), Spec(Ask.LOAD, self.load)]
    """
    text = """
  kind: rpc
  from: { passes: Ask, not_within: Server, key: member }
  to: { passes: Ask, hands: true, key: member }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {("a.send", "a.Server.save", "rpc")}


def test_a_string_key_is_resolved_through_constants_on_both_sides(tmp_path):
    code = """
        KIND = "done"
        class Table:
            def register(self, kind, fn): ...
        class Owner:
            OTHER = "lost"
            def finished(self): ...
            def lost(self): ...
            def start(self, t: Table):
                t.register(KIND, self.finished)
                t.register(self.OTHER, self.lost)
        def later(kind): ...
        def go():
            later("done")
    """
    text = """
  kind: callback
  from: { call: later, key: arg 0 }
  to: { call: Table.register, hands: 1, key: arg 0 }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {("a.go", "a.Owner.finished", "callback")}


def test_the_call_of_an_instance_reaches_what_a_decorator_marks(tmp_path):
    code = """
        class Pooled:
            def __call__(self, p): ...
        def run(h: Pooled):
            h(1)
        @handler(POOL)
        def slow(): ...
        @handler(INLINE)
        def quick(): ...
    """
    text = """
  kind: thread
  from: { call: "Pooled()" }
  to: { decorator: handler, args: POOL }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {("a.run", "a.slow", "thread")}


def test_a_message_joins_the_writers_and_readers_of_each_field_also_through_its_own_methods(tmp_path):
    code = """
        from dataclasses import dataclass, field
        @dataclass
        class Message:
            done: set
            lost: set
            def mark(self, k):
                self.lost.add(k)
        def make():
            return Message(done={1}, lost=set())
        class Worker:
            def report(self, m: Message):
                m.mark(2)
        class Reader:
            def take(self, m: Message):
                return list(m.done)
            def check(self, m: Message):
                return len(m.lost)
    """
    text = """
  kind: process
  from: { writes: Message, key: field }
  to: { reads: Message, within: Reader, key: field }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {
        ("a.make", "a.Reader.take", "process"),
        ("a.make", "a.Reader.check", "process"),
        ("a.Worker.report", "a.Reader.check", "process"),
    }


def test_whoever_gives_what_is_written_is_an_end_too_where_asked_for(tmp_path):
    code = """
        class Out:
            def __init__(self):
                self.done = None
        class Worker:
            def __init__(self):
                self.jobs = []
            def finished(self):
                job = self.jobs.pop()
                return {job}, 1
        class Front:
            def __init__(self, w: Worker):
                self.w = w
            def finished(self):
                return self.w.finished()
        def report(f: Front):
            out = Out()
            out.done, n = f.finished()
            return out
        def read(o: Out):
            return len(o.done)
    """
    text = """
  kind: process
  from: { writes: Out, in: "a.py", results: true, key: field }
  to: { reads: Out, key: field }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {
        ("a.report", "a.read", "process"),
        ("a.Front.finished", "a.read", "process"),
        ("a.Worker.finished", "a.read", "process"),
    }
    without = text.replace(", results: true", "")
    assert joined(tmp_path, without, world(a_py=code)) == {("a.report", "a.read", "process")}


def test_state_and_calls_on_a_field_join_without_a_key_within_the_bounds_given(tmp_path):
    code = """
        class Client:
            def __init__(self, q):
                self.queue = q
            def ask(self, x):
                self.queue.put(x)
        class Server:
            def __init__(self, s):
                self.socket = s
            def loop(self):
                self.socket.recv()
            def other(self):
                self.socket.send(1)
    """
    text = """
  kind: process
  from: { op: insert, state: Client.queue }
  to: { call: recv, on: Server.socket }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {("a.Client.ask", "a.Server.loop", "process")}
    elsewhere = text.replace("Server.socket }", 'Server.socket, in: "b.py" }')
    assert joined(tmp_path, elsewhere, world(a_py=code)) == set()


def test_every_call_on_a_bound_object_reaches_the_native_method_of_that_name(tmp_path):
    cpp = """
        namespace kv {
        class Base { public: virtual int push(int k) = 0; };
        class Disk : public Base { public: int push(int k) override { return k; } };
        }
    """
    python = """
        class User:
            def __init__(self, n):
                self.native = n
            def go(self):
                self.native.push(1)
    """
    text = """
  kind: binding
  from: { call: "*", on: User.native, key: name }
  to: { define: "kv::Base.*", key: name }
"""
    assert joined(tmp_path, text, world(n_cpp=cpp, u_py=python)) == {("u.User.go", "kv::Disk::push", "binding")}


def test_a_method_looked_up_by_name_is_one_of_those_that_are_asked_for(tmp_path):
    code = """
        class Front:
            def rpc(self, name): ...
        def ask(f: Front):
            f.rpc("run")
        class Worker:
            def run(self): ...
            def close(self): ...
        class Host:
            def loop(self, w, name):
                getattr(w, name)()
    """
    text = """
  kind: dynamic
  from: { call: getattr, within: Host }
  to: { define: "Worker.*", named_by: { call: Front.rpc, key: arg 0 } }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {("a.Host.loop", "a.Worker.run", "dynamic")}


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("{ call: f, define: g }", "not valid under any"),
        ("{ op: insert }", "op and state go together"),
        ("{ define: g, on: A.b }", "on goes with call"),
        ("{ call: f, args: '(' }", "no regular expression"),
        ("{ call: f, key: name }", "a key at every end or at none"),
    ],
)
def test_a_bad_declaration_is_one_line_that_says_what_is_wrong(tmp_path, end, why):
    with pytest.raises(RuleError, match=why):
        joined(tmp_path, f"  kind: rpc\n  from: {end}\n  to: {{ define: g }}\n", world(a_py="def g(): ...\n"))


def test_the_shipped_declarations_are_sound():
    root = Path(__file__).resolve().parents[3] / "rules"
    for file in sorted((root / "crossings").glob("*.yaml")):
        assert load(file, root)
        engine = "" if file.stem == "any" else file.stem
        assert all(item["id"].startswith(f"{engine}.") for item in yaml.safe_load(file.read_text()) if engine)


def test_fields_of_one_name_in_two_messages_of_a_family_are_not_joined(tmp_path):
    code = """
        class Message: ...
        class Load(Message):
            def __init__(self):
                self.ids = []
        class Save(Message):
            def __init__(self):
                self.ids = []
        def plan_load(m: Load):
            m.ids.append(1)
        def plan_save():
            return Save()
        def fill_save(m: Save):
            m.ids.append(2)
        def run_load(m: Load):
            return m.ids.pop()
        def run_save(m: Message):
            assert isinstance(m, Save)
            return m.ids.pop()
    """
    text = """
  kind: process
  from: { writes: Message, key: field }
  to: { reads: Message, key: field }
"""
    assert joined(tmp_path, text, world(a_py=code)) == {
        ("a.plan_load", "a.run_load", "process"),
        ("a.fill_save", "a.run_save", "process"),
    }
