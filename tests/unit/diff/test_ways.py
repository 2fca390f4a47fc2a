"""Named paths in two versions: lost and new hops, other crossings, ends; renamed functions count as the same."""

from __future__ import annotations

from tracer.diff.ways import asked, changes
from tracer.model import Path, Step


def way(*steps: tuple[str, str], end: str = "complete") -> Path:
    made = tuple(Step(f"kv.{name}", "kv/a.py", n + 1, edge) for n, (name, edge) in enumerate(steps))
    return Path("toy.store", "Store", made, end)


OLD = way(("Client.put", ""), ("Server.take", "rpc"), ("Index.insert", "call"))


def test_the_same_way_and_a_renamed_function() -> None:
    assert changes({"store": OLD}, {"store": OLD}, {}) == ([], 1)
    new = way(("Client.put", ""), ("Server.accept", "rpc"), ("Index.insert", "call"))
    names = {("Server", "take"): ("Server", "accept")}
    assert changes({"store": OLD}, {"store": new}, names) == ([], 1)


def test_hops_that_are_new_and_lost() -> None:
    new = way(("Client.put", ""), ("Queue.push", "call"), ("Worker.loop", "thread"), ("Index.insert", "call"))
    (change,), same = changes({"store": OLD, "gone": OLD}, {"store": new}, {})
    assert same == 0
    assert (change.kind, change.severity, change.id) == ("path", "behaviour", "toy.store")
    assert change.detail == "path store: 1 hops lost, 2 new"
    assert change.before
    assert change.after
    assert change.before.text == ("rpc → Server.take (kv/a.py:2)",)
    assert change.after.text == ("call → Queue.push (kv/a.py:2)", "thread → Worker.loop (kv/a.py:3)")


def test_another_crossing_and_a_path_that_stops() -> None:
    other = way(("Client.put", ""), ("Server.take", "thread"), ("Index.insert", "dynamic"))
    (change,), _ = changes({"store": OLD}, {"store": other}, {})
    assert change.detail == "path store: 1 reached by another crossing"
    stops = way(("Client.put", ""), ("Server.take", "rpc"), end="stops: nothing here is the next way-point")
    (change,), _ = changes({"store": OLD}, {"store": stops}, {})
    assert change.severity == "breaking"
    assert change.detail.startswith("path store: complete → stops")
    (change,), _ = changes({"store": stops}, {"store": OLD}, {})
    assert change.severity == "behaviour"


def test_paths_that_pass_a_role() -> None:
    every, some = asked("all"), asked("reclaim")
    assert some
    assert len(some) < len(every)
    assert all(len(r.engines) == 1 for r in every)
