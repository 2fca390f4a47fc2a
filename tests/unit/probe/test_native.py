"""Recordings of compiled code: rows of breakpoints, of a log and of counters, and what they say of functions."""

import json
import shutil
import subprocess
import time

import pytest

from tests.unit.probe import trees
from tracer.model import Edge
from tracer.probe import native, observed, recording
from tracer.survey import survey_file

SOURCE = b"""
namespace shop {
class Till {
 public:
  void Pay(int n) {
    LOG(INFO) << "pay " << n;
    auto later = [&] {
      LOG(INFO) << "later";
    };
  }
  int Count() { return Serve("Count", [] { return 1; }); }
};
void Open() { Timer timer(1, "Open"); LOG(INFO) << "open"; }
}
"""
FILES = {"src/till.cpp": survey_file("src/till.cpp", SOURCE)}


def record(folder, name, *rows):
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))


def test_lines_of_a_log_lie_in_the_function_around_them():
    places = native.Places(FILES)
    assert places.at("till.cpp", 6, "pay 3") == ("shop::Till::Pay", "src/till.cpp")
    assert places.at("till.cpp", 8, "later") == ("shop::Till::Pay", "src/till.cpp")
    assert places.at("till.cpp", 2, "?") == ("", "")
    assert places.at("other.cpp", 6, "pay 3") == ("", "")


def test_a_logger_that_is_told_whose_line_it_writes():
    places = native.Places(FILES)
    assert places.at("timer.h", 46, "Open request: n=1")[0] == "shop::Open"
    assert places.at("timer.h", 46, "Count response: 1")[0] == "shop::Till::Count"
    assert places.at("timer.h", 46, "Pay request: n=1") == ("", "")


def test_one_name_in_two_files_is_not_certain():
    places = native.Places({**FILES, "test/till.cpp": FILES["src/till.cpp"]})
    assert places.at("till.cpp", 6, "pay 3") == ("", "")


def test_log_and_counters_become_rows_that_say_which_way(tmp_path):
    record(
        tmp_path, "7-native", {"way": "gdb", "pid": 7},
        {"seen": "shop::Open", "how": "breakpoint", "from": ["shop::main", 0], "kind": "native", "thread": "w", "t": 5},
    )  # fmt: skip
    record(
        tmp_path, "master-0-log", {"way": "log"},
        {"log": "till.cpp", "line": 6, "text": "x", "thread": 3, "t": 2},
        {"log": "timer.h", "line": 46, "text": "Open request: ", "thread": 4, "t": 7},
    )  # fmt: skip
    record(
        tmp_path, "master-counters", {"counter": "shop_open_requests_total", "before": 1, "after": 4},
        {"counter": "shop_pay_requests_total", "before": 0, "after": 1},
    )  # fmt: skip
    assert native.resolve(tmp_path, native.Places(FILES)) == 2
    found = recording.load(tmp_path)
    assert found.entered["shop::Till::Pay"].how == {"log line src/till.cpp:6"}, "its counter alone proves nothing"
    opened = found.entered["shop::Open"]
    assert opened.how == {"breakpoint", "log of its name by timer.h", "counter shop_open_requests_total 1 → 4"}
    assert (opened.count, opened.first, len(opened.threads)) == (2, 5, 3)
    assert ("shop::main", "shop::Open") in found.passages
    assert [(o.caller, o.callee, o.kind) for o in observed.read(tmp_path)] == [("shop::main", "shop::Open", "native")]


def test_counters_go_by_the_whole_name():
    moved = [native.Counter("till_pay_requests_total", 1, 4), native.Counter("till_stay_requests_total", 2, 2)]
    assert native.counted("shop::Till::Pay", moved) == moved[:1]
    assert native.counted("shop::Till::PayBack", moved) == []
    assert native.counted("shop::Till::Stay", moved) == []


def test_native_edges_may_lead_over_inlined_functions():
    def edge(source, target, basis="exact"):
        return Edge(source, target, "call", basis, "a.cpp", 1)

    graph = [edge("a::f", "a::g"), edge("a::g", "a::h"), edge("a::f", "a::k"), edge("a::k", "a::m")]
    saw = [
        observed.Observed("a::f", name, "", 0, "native")
        for name in ("a::g", "a::h", "a::m", "a::T::T", "a::T::~T", "a::x")
    ]
    found = observed.recall(saw, graph)
    assert found.by_kind == {
        "native": (1, 4),
        "native, a tail call between": (1, 1),  # g had a frame of its own below f, which its last call took over
        "native, others inlined between": (1, 1),
    }
    why = {o.callee: w for o, w in found.missed}
    assert why["a::x"] == "a call that the caller's resolved edges do not lead to"
    assert why["a::T::T"] == "a constructor" and why["a::T::~T"].startswith("a destructor")


LOG = """WARNING: Logging before InitGoogleLogging() is written to STDERR
I1130 00:34:33.705494 17341 till.cpp:261] allocation_succeeded size=1
not a line of the log
E0102 01:02:03.000001 7 till.h:9] Open request: n=1
"""


def test_rows_of_a_log():
    records = trees.scenario_module("mooncake", "_records")
    first, second = records.log_rows(LOG.splitlines(), year=2026, offset=1_000_000.0)
    assert (first["log"], first["line"], first["thread"], first["level"]) == ("till.cpp", 261, 17341, "I")
    assert second["text"] == "Open request: n=1"
    wall = time.mktime((2026, 1, 2, 1, 2, 3, 0, 0, -1))
    assert second["t"] == int((wall - 1_000_000.0) * 1e9) + 1000


def test_of_one_place_of_a_log_few_rows_are_kept():
    records = trees.scenario_module("mooncake", "_records")
    line = "I1130 00:34:33.705494 17341 till.cpp:261] again"
    assert len(list(records.log_rows([line] * 500, year=2026, offset=0.0))) == records.MOST


def test_samples_of_counters():
    records = trees.scenario_module("mooncake", "_records")
    page = '# HELP a x\n# TYPE a counter\na_total 3\nb{le="+Inf"} 2.5e+01\nbad line\n'
    before = records.samples(page)
    assert before == {"a_total": 3.0, 'b{le="+Inf"}': 25.0}
    assert records.moved(before, {"a_total": 5.0, 'b{le="+Inf"}': 25.0, "c": 1.0}) == {
        "a_total": (3.0, 5.0), "c": (0.0, 1.0),
    }  # fmt: skip


PROGRAM = """
namespace shop {
__attribute__((noinline)) int count(int n) { return n * 2 + (n >> 3) + (n % 5) * (n ^ 77); }
__attribute__((noinline)) int serve(int n) { int s = 0; for (int i = 0; i < n; i++) s += count(i + s); return s; }
}
int main() { return shop::serve(100) == 3; }
"""


def test_breakpoints_record_functions_and_their_callers(tmp_path):
    why = native.unable() or ("" if shutil.which("g++") else "no g++ on this machine")
    if why:
        pytest.skip(why)
    (tmp_path / "p.cpp").write_text(PROGRAM)
    subprocess.run(["g++", "-O1", "-rdynamic", "-o", "p", "p.cpp"], cwd=tmp_path, check=True, timeout=300)
    out = tmp_path / "out"
    out.mkdir()
    plan = native.write_plan({tmp_path / "p": None}, ["shop::count", "shop::serve"], tmp_path / "plans")
    assert native.write_plan({tmp_path / "p": None}, ["shop::serve", "shop::count"], tmp_path / "plans") == plan
    done = subprocess.run(
        [*native.command(), str(tmp_path / "p")], timeout=300, stdin=subprocess.DEVNULL, check=False,
        env={"PATH": "/usr/bin:/bin", native.PLAN: str(plan), "TRACER_PROBE_OUT": str(out)}, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = recording.load(out)
    assert [c for c, callee in found.passages if callee == "shop::count"] == ["shop::serve"]
    assert found.entered["shop::count"].count == native.LIMIT, "seen often enough, it is not stopped at any more"
