"""Events and streams: what is recorded of them, and the verdict on each transfer."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tracer.probe import environment, transfers
from tracer.probe.environment import HERE

MS = 1_000_000


def write(folder: Path, *happened, process: str = "7-0"):
    (folder / f"{process}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in happened))


def copy(t, *, on="cuda:0", stream="cuda:0/9"):
    return {"device": "copy", "from": on, "to": "cpu", "on": on, "stream": stream, "thread": "T", "t": t * MS}


def record(t, event=1, times=1, *, on="cuda:0", stream="cuda:0/9"):
    row = {"device": "record", "on": on, "stream": stream, "event": event, "times": times, "thread": "T"}
    return {**row, "t": t * MS, "after": t * MS}


def query(t, result, event=1, times=1):
    row = {"device": "query", "on": "cuda:0", "event": event, "times": times, "result": result, "thread": "T"}
    return {**row, "t": t * MS, "after": t * MS}


def mark(t, stage, job="a"):
    return {"mark": "transfer", "stage": stage, "job": job, "thread": "T", "t": t * MS}


GOOD = (mark(0, "submit"), copy(1), record(2), query(3, False), query(5, True), mark(6, "reported"))


def one(folder, *happened):
    write(folder, *happened)
    (found,) = transfers.read(folder)
    return found


def test_all_stages_in_order_on_a_device_are_confirmed(tmp_path):
    found = one(tmp_path, *GOOD, mark(7, "published"))
    assert (found.verdict, found.why) == (transfers.CONFIRMED, "")
    assert (found.job, found.what, found.queries, found.how) == ("a", "cuda:0 → cpu", 1, "query")
    text = "\n".join(transfers.as_text([found]))
    assert "enqueued 0.000 → recorded 1.000 → complete 4.000 → reported 5.000 → published 6.000" in text
    assert "1 confirmed" in text and "nothing is confirmed" not in text


def test_reported_before_anybody_saw_it_complete_is_contradicted(tmp_path):
    early = one(tmp_path, mark(0, "submit"), copy(1), record(2), mark(3, "reported"), query(5, True))
    assert early.verdict == transfers.AGAINST
    assert early.why == "reported: 2.000 ms before it was seen complete"
    never = one(tmp_path, mark(0, "submit"), copy(1), record(2), query(3, False), mark(4, "reused"))
    assert (never.verdict, never.why) == (transfers.AGAINST, "published: nobody had seen it complete")


def test_a_missing_stage_is_not_seen(tmp_path):
    found = one(tmp_path, *GOOD)
    assert (found.verdict, found.why) == (transfers.NOT, "not seen: published")
    running = one(tmp_path, mark(0, "submit"), copy(1), record(2), query(3, False))
    assert running.why == "not seen: complete, reported, published"


def test_what_only_the_host_did_is_never_confirmed(tmp_path):
    on = {"on": "cpu", "stream": "cpu/0"}
    rows = [
        mark(0, "submit"),
        copy(1, **on),
        record(2, **on),
        query(5, True),
        mark(6, "reported"),
        mark(7, "published"),
    ]
    found = one(tmp_path, *rows)
    assert found.verdict == transfers.HOST
    assert transfers.as_text([found])[-1] == "nothing is confirmed on a device by this recording"
    mixed = one(tmp_path, mark(0, "submit"), copy(1, on="cpu"), *GOOD[2:], mark(7, "published"))
    assert mixed.verdict == transfers.HOST, "an event on a device proves nothing about a copy on the host"


def test_events_that_pools_use_again_are_other_transfers(tmp_path):
    write(
        tmp_path,
        mark(0, "submit", "a"), copy(1), record(2), query(3, True), mark(4, "reported", "a"), mark(5, "published", "a"),
        mark(6, "submit", "b"), copy(7), record(8, times=2), mark(9, "reported", "b"), query(10, True, times=2),
    )  # fmt: skip
    first, second = transfers.read(tmp_path)
    assert (first.job, first.verdict) == ("a", transfers.CONFIRMED)
    assert (second.job, second.verdict) == ("b", transfers.AGAINST)


def test_an_event_without_a_copy_before_it_is_no_transfer(tmp_path):
    write(tmp_path, record(1), copy(2, stream="cuda:0/3"), record(3), query(4, True))
    assert transfers.read(tmp_path) == []


def test_without_marks_functions_are_taken_where_one_is_in_flight(tmp_path):
    def entered(t, name):
        return {"hit": f"/x/eng/a.py:{name}:3", "line": 0, "thread": "T", "t": t * MS}

    stages = {"eng.a.done": "reported", "eng.a.free": "published"}
    head = {"roots": ["/x/eng/"]}
    write(tmp_path, head, copy(1), record(2), query(3, True), entered(4, "done"), entered(5, "free"))
    (found,) = transfers.read(tmp_path, stages)
    assert found.verdict == transfers.CONFIRMED
    two = (copy(1), record(2), copy(3), record(4, event=2), query(5, True), query(6, True, event=2))
    write(tmp_path, head, *two, entered(7, "done"))
    assert {t.why for t in transfers.read(tmp_path, stages)} == {
        "2 were in flight when it was reported, nothing tells whose it was"
    }


def test_a_stream_that_was_waited_for_is_complete(tmp_path):
    wait = {"device": "synchronize_stream", "on": "cuda:0", "stream": "cuda:0/9", "thread": "T", "t": 4 * MS}
    rest = (mark(6, "reported"), mark(7, "published"))
    found = one(tmp_path, mark(0, "submit"), copy(1), record(2), {**wait, "after": 5 * MS}, *rest)
    assert (found.verdict, found.how) == (transfers.CONFIRMED, "synchronize_stream")
    other = {**wait, "stream": "cuda:0/8", "after": 5 * MS}
    assert one(tmp_path, mark(0, "submit"), copy(1), record(2), other, *rest).verdict == transfers.AGAINST


# -- with the torch that is there --------------------------------------------------------
PROGRAM = """
import json, runpy, sys, torch
device = runpy.run_path(sys.argv[1])
rows = []
installed = device["install"](torch, rows.append)
kinds = [torch.cpu.Event]
stream, other = torch.cpu.Stream(), torch.cpu.Stream()
a, b = torch.zeros(8), torch.ones(8)
a.copy_(b)
event = torch.cpu.Event()
event.record(stream)
said = [event.query()]
event.synchronize()
other.wait_event(event)
other.wait_stream(stream)
event.record()
torch.cpu.synchronize()
mine = torch.Event(device="cpu")
try:
    mine.record()
except RuntimeError:
    said.append("refused")
assert isinstance(mine, torch.Event) and a.sum() == 8
installed.undo()
before = len(rows)
torch.cpu.Event().record()
a.copy_(b)
assert len(rows) == before, "undone"
print(json.dumps([said, rows]))
"""


@pytest.fixture(scope="module")
def torch_rows():
    try:
        python = environment.python()
    except Exception:
        python = Path(sys.executable)
    ask = subprocess.run([str(python), "-c", "import torch"], capture_output=True, timeout=300, check=False)
    if ask.returncode:
        pytest.skip(f"{python} has no torch; TRACER_PROBE_PYTHON names one that has")
    done = subprocess.run(
        [str(python), "-c", PROGRAM, str(HERE / "recorder" / "device.py")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_events_and_streams_of_this_torch_are_recorded(torch_rows):
    said, rows = torch_rows
    assert said[0] is True and said[-1] == "refused"
    kinds = [r["device"] for r in rows]
    wanted = [
        "copy",
        "record",
        "query",
        "synchronize",
        "wait_event",
        "wait_stream",
        "record",
        "synchronize_all",
        "record",
    ]
    assert kinds == wanted
    by_kind = {r["device"]: r for r in rows}
    assert by_kind["copy"]["bytes"] == 32 and (by_kind["copy"]["from"], by_kind["copy"]["to"]) == ("cpu", "cpu")
    assert by_kind["query"]["result"] is True
    assert [(r["event"], r["times"]) for r in rows if r["device"] == "record"] == [(1, 1), (1, 2), (2, 1)]
    assert rows[-1]["raised"] == "RuntimeError", "what the call raises is raised, and said"
    assert all(r["on"].startswith("cpu") for r in rows)
    times = [t for r in rows for t in (r["t"], r["after"])]
    assert times == sorted(times)


def test_the_recorder_brings_it_along(tmp_path, torch_rows):
    python = shutil.which(str(environment.python()))
    (tmp_path / "p.py").write_text("import torch\ntorch.zeros(3).copy_(torch.ones(3))\ntorch.cpu.Event().record()\n")
    env = {
        **os.environ, "PYTHONPATH": str(HERE / "site"), "TRACER_PROBE_RECORDER": str(HERE / "recorder" / "__init__.py"),
        "TRACER_PROBE_OUT": str(tmp_path / "out"), "TRACER_PROBE_ROOTS": str(tmp_path), "TRACER_PROBE_DEVICE": "1",
    }  # fmt: skip
    subprocess.run([python, str(tmp_path / "p.py")], env=env, check=True, timeout=300)
    (found,) = transfers.read(tmp_path / "out")
    assert (found.verdict, found.what, found.on.split(":")[0]) == (transfers.NOT, "cpu → cpu", "cpu")
