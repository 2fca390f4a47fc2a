"""Signals: who waits for, polls or asks what another function records, sets or notifies."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of


def found(w, *kinds):
    return {(e.source, e.target, e.kind) for e in edges_of(w) if e.kind in kinds}


def test_an_event_wakes_who_waits_and_tells_who_asks_by_its_field_not_its_name():
    code = """
        import threading
        class A:
            def __init__(self):
                self.ready = threading.Event()
            def finish(self):
                self.ready.set()
            def block(self):
                self.ready.wait()
            def peek(self):
                return self.ready.is_set()
            def join(self):
                self.block()
        class B:
            def __init__(self):
                self.ready = threading.Event()
            def block(self):
                self.ready.wait()
        class Front:
            def __init__(self, a: A):
                self.a = a
            def query(self):
                if self.a.peek():
                    return 1
    """
    assert found(world(a_py=code), "thread", "state", "device") == {
        ("a.A.finish", "a.A.block", "thread"),
        ("a.A.finish", "a.A.join", "thread"),  # the small function waits for its caller
        ("a.A.finish", "a.A.peek", "state"),
        ("a.A.finish", "a.Front.query", "state"),  # the small function asks for its caller
    }


def test_a_device_event_is_followed_into_the_record_and_the_container_that_keep_it():
    code = """
        class Transfer:
            event: object
            def __init__(self, event):
                self.event = event
        class Copy:
            def __init__(self, stream):
                self.stream = stream
                self.events: dict[int, object] = {}
                self.running: list[Transfer] = []
            def start(self, job, make):
                done = make()
                done.record(self.stream)
                self.events[job] = done
            def wait(self, job):
                held = self.events.get(job)
                held.synchronize()
    """
    assert ("a.Copy.start", "a.Copy.wait", "device") in found(world(a_py=code), "device")


def test_a_notifier_reaches_the_loop_that_polls_its_descriptor_through_an_interface_and_a_table():
    code = """
        import select
        class Adapter:
            def descriptor(self): ...
        class Disk(Adapter):
            def __init__(self, make):
                self.notifier = make()
            def descriptor(self):
                return self.notifier.fileno()
            def finished(self):
                self.notifier.notify()
        class Loop:
            def __init__(self, adapters: list[Adapter]):
                self.table = {}
                for n, adapter in enumerate(adapters):
                    fd = adapter.descriptor()
                    self.table[fd] = n
            def run(self):
                poller = select.poll()
                for fd in self.table:
                    poller.register(fd)
                poller.poll(1)
            def other(self):
                return len(self.table)
        class Direct:
            def __init__(self, disk: Disk):
                self.disk = disk
            def run(self):
                poller = select.poll()
                poller.register(self.disk.descriptor())
                poller.poll(1)
    """
    assert found(world(a_py=code), "thread") == {
        ("a.Disk.finished", "a.Loop.run", "thread"),
        ("a.Disk.finished", "a.Direct.run", "thread"),
    }


def test_a_native_condition_variable_joins_notifier_and_waiter():
    cpp = """
        class Pool {
          std::condition_variable cv_;
          void push(int k) { cv_.notify_one(); }
          void loop() { std::unique_lock<std::mutex> lk(mu_); cv_.wait(lk); }
          std::mutex mu_;
        };
    """
    assert ("Pool::push", "Pool::loop", "thread") in found(world(p_cpp=cpp), "thread")


def test_a_callback_given_to_a_device_stream_crosses_to_the_device():
    cpp = """
        void done(void* p) {}
        void go(int stream) { cudaLaunchHostFunc(stream, done, nullptr); }
    """
    assert {("go", "done", "device"), ("go", "done", "callback")} <= found(world(p_cpp=cpp), "device", "callback")
