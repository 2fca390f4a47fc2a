"""A trace set against recordings of an invented program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tracer.errors import UsageError
from tracer.probe import confirm, plan, recording

ROOT = "/code/toy/"


def _step(symbol: str, edge: str = "", line: int = 0) -> dict[str, Any]:
    file = "toy/" + symbol.split(".")[1] + ".py"
    came = {"edge": edge, "from_file": file if line else "", "from_line": line}
    return {"symbol": symbol, "file": file, "def_line": 1, **came}


def _path(*steps: dict[str, Any], version: str = "1.0") -> dict[str, Any]:
    engines = [{"name": "toy", "version": version}]
    return {"engines": engines, "paths": [{"name": "p", "title": "P", "steps": list(steps), "end": "complete"}]}


def _name(symbol: str) -> str:
    _, module, *rest = symbol.split(".")
    return f"{ROOT}{module}.py:{'.'.join(rest)}:1"


def _record(folder: Path, *rows: dict[str, Any], name: str = "1-0") -> recording.Recording:
    lines = [{"python": "3.11", "roots": [ROOT]}, *rows]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in lines))
    return recording.load(folder)


def _hit(
    symbol: str, t: int, *, of: str = "", thread: str = "Main", line: int = 0, kind: str = "call"
) -> dict[str, Any]:
    row: dict[str, Any] = {"hit": _name(symbol), "line": line, "thread": thread, "t": t, "seq": t}
    return row | ({"from": [_name(of), 3], "kind": kind} if of else {})


def _verdicts(found: confirm.Confirmed) -> list[str]:
    return [s.verdict for s in found.steps]


def test_steps_that_ran_in_order_are_seen(tmp_path: Path) -> None:
    seen = _record(tmp_path, _hit("toy.a.f", 1), _hit("toy.a.g", 2, of="toy.a.f"))
    found = confirm.confirm([_path(_step("toy.a.f"), _step("toy.a.g", "call", 3))], seen)
    assert _verdicts(found) == ["seen", "seen"]
    assert found.steps[1].edge == "seen"


def test_a_step_that_did_not_run_is_not_seen_and_says_why(tmp_path: Path) -> None:
    seen = _record(tmp_path, _hit("toy.a.f", 1))
    native = {**_step("toy.a.x"), "file": "toy/c.cpp"}
    found = confirm.confirm([_path(_step("toy.a.f"), _step("toy.a.g", "call", 3), native)], seen)
    assert _verdicts(found) == ["seen", "not seen", "not seen"]
    assert "not entered" in found.steps[1].why
    assert "native" in found.steps[2].why


def test_another_order_contradicts(tmp_path: Path) -> None:
    seen = _record(tmp_path, _hit("toy.a.second", 1), _hit("toy.a.first", 2))
    found = confirm.confirm([_path(_step("toy.a.first"), _step("toy.a.second", "state", 3))], seen)
    assert _verdicts(found) == ["seen", "contradicted"]
    assert found.steps[1].why.startswith("order")


def test_a_later_entry_of_the_same_function_keeps_the_order(tmp_path: Path) -> None:
    seen = _record(tmp_path, _hit("toy.a.second", 1), _hit("toy.a.first", 2), _hit("toy.a.second", 3))
    found = confirm.confirm([_path(_step("toy.a.first"), _step("toy.a.second", "state", 3))], seen)
    assert _verdicts(found) == ["seen", "seen"]


def test_entries_that_were_not_all_kept_contradict_no_order(tmp_path: Path) -> None:
    more = {"hits": _name("toy.a.second"), "line": 0, "n": 500, "t": 1, "more": True}
    seen = _record(tmp_path, _hit("toy.a.second", 1), _hit("toy.a.first", 2), more)
    found = confirm.confirm([_path(_step("toy.a.first"), _step("toy.a.second", "state", 3))], seen)
    assert _verdicts(found) == ["seen", "seen"]
    assert found.steps[1].edge == "order not recorded"


def test_a_step_back_to_the_caller_is_a_return(tmp_path: Path) -> None:
    seen = _record(tmp_path, _hit("toy.a.outer", 1), _hit("toy.a.inner", 2, of="toy.a.outer"))
    found = confirm.confirm([_path(_step("toy.a.inner"), _step("toy.a.outer", "call", 3))], seen)
    assert _verdicts(found) == ["seen", "seen"]
    assert found.steps[1].edge == "as a return"


def test_a_call_that_was_handed_to_a_thread_contradicts(tmp_path: Path) -> None:
    rows = [_hit("toy.a.f", 1), _hit("toy.a.g", 2, of="toy.a.f", thread="T", kind="thread")]
    found = confirm.confirm([_path(_step("toy.a.f"), _step("toy.a.g", "call", 3))], _record(tmp_path, *rows))
    assert _verdicts(found) == ["seen", "contradicted"]
    assert found.steps[1].why.startswith("thread")


def test_a_thread_that_is_a_plain_call_contradicts(tmp_path: Path) -> None:
    rows = [_hit("toy.a.f", 1), _hit("toy.a.g", 2, of="toy.a.f")]
    found = confirm.confirm([_path(_step("toy.a.f"), _step("toy.a.g", "thread", 3))], _record(tmp_path, *rows))
    assert _verdicts(found) == ["seen", "contradicted"]


def test_what_was_seen_in_set_up_does_not_count(tmp_path: Path) -> None:
    rows = [{"phase": "setup", "t": 0}, _hit("toy.a.f", 1), {"phase": "run", "t": 2}, _hit("toy.a.g", 3)]
    found = confirm.confirm([_path(_step("toy.a.f"), _step("toy.a.g"))], _record(tmp_path, *rows))
    assert _verdicts(found) == ["not seen", "seen"]


def test_sites_are_seen_by_their_line_only(tmp_path: Path) -> None:
    site = {"symbol": "toy.a.f", "file": "toy/a.py", "def_line": 1, "first": 4, "last": 5}
    missed = site | {"first": 7, "last": 7}
    seen = _record(tmp_path, _hit("toy.a.f", 1), _hit("toy.a.f", 2, line=5))
    found = confirm.confirm([{"engines": [], "sites": [site, missed]}], seen)
    assert _verdicts(found) == ["seen", "not seen"]
    assert "line was not reached" in found.steps[1].why


def test_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"engines": [{"name": "toy", "version": "2.0"}]}))
    seen = _record(tmp_path, _hit("toy.a.f", 1))
    with pytest.raises(UsageError, match=r"the recording of 2\.0"):
        confirm.confirm([_path(_step("toy.a.f"))], seen)


def test_something_else_than_the_recorder_may_have_seen_a_step(tmp_path: Path) -> None:
    rows = [{"seen": "ns::C::put", "n": 7, "how": "gdb breakpoint", "t": 5, "thread": "1"}]
    step = {"symbol": "ns::C::put", "file": "c.cpp", "def_line": 1, "edge": ""}
    found = confirm.confirm([_path(step)], _record(tmp_path, *rows))
    document = confirm.as_json(found, recording.load(tmp_path))
    told = document["paths"][0]["steps"][0]
    assert (told["verdict"], told["count"], told["seen_by"]) == ("seen", 7, ["gdb breakpoint"])


def test_a_torn_file_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    _record(tmp_path, _hit("toy.a.f", 1), _hit("toy.a.g", 2))
    file = tmp_path / "1-0.jsonl"
    file.write_text(file.read_text()[:-20])
    seen = recording.load(tmp_path)
    assert set(seen.entered) == {"toy.a.f"}


def test_a_plan_names_functions_and_lines_once(tmp_path: Path) -> None:
    site = {"symbol": "toy.a.h", "file": "python/toy/a.py", "def_line": 1, "first": 4, "last": 5}
    documents = [_path(_step("toy.a.f"), _step("toy.a.g", "call", 3)), {"sites": [site]}]
    made = plan.plan(documents, most=5)
    assert made["symbols"] == ["toy.a.f", "toy.a.g", "toy.a.h"]
    assert made["lines"] == {"toy/a.py": [3, 4, 5]}
    with pytest.raises(UsageError, match="neither paths nor sites"):
        plan.plan([{}])


def test_of_several_runs_order_counts_within_one_only(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    _record(one, _hit("toy.a.second", 1), _hit("toy.a.first", 2))
    _record(two, _hit("toy.a.second", 3), _hit("toy.a.third", 4))
    path = _path(_step("toy.a.first"), _step("toy.a.second", "state", 3), _step("toy.a.third", "state", 3))
    found = confirm.confirm([path], recording.load(tmp_path))
    assert "contradicted" not in _verdicts(found), "the run that shows most decides"
    assert _verdicts(found) == ["seen", "seen", "seen"]
    assert found.steps[0].edge == "in another run"
    alone = confirm.confirm([_path(_step("toy.a.first"), _step("toy.a.second", "state", 3))], recording.load(one))
    assert _verdicts(alone) == ["seen", "contradicted"]


def test_a_return_to_what_runs_below_does_not_ask_for_a_later_entry(tmp_path: Path) -> None:
    """`outer` calls `inner`, control comes back, `outer` goes on to `last`: all in one entry of `outer`."""
    rows = [_hit("toy.a.outer", 1), _hit("toy.a.inner", 2, of="toy.b.between"), _hit("toy.a.last", 3)]
    rows[1]["within"] = [_name("toy.a.outer")]
    path = _path(_step("toy.a.inner"), _step("toy.a.outer", "process", 3), _step("toy.a.last", "call", 3))
    rows.append(_hit("toy.a.outer", 9))
    found = confirm.confirm([path], _record(tmp_path, *rows))
    assert _verdicts(found) == ["seen", "seen", "seen"]
    assert found.steps[1].edge == "as a return"


def test_a_path_that_stops_says_so(tmp_path: Path) -> None:
    document = _path(_step("toy.a.f"))
    document["paths"][0]["end"] = "stops at a call that does not resolve"
    seen = _record(tmp_path, _hit("toy.a.f", 1))
    found = confirm.confirm([document], seen)
    assert found.ways[0].end.startswith("stops")
    assert confirm.as_json(found, seen)["paths"][0]["end"] == found.ways[0].end


def test_an_entry_that_is_both_planned_and_an_edge_counts_once(tmp_path: Path) -> None:
    edge = {"edge": [_name("toy.a.f"), _name("toy.a.g")], "line": 3, "kind": "call", "thread": "Main", "t": 3}
    rows = [_hit("toy.a.f", 1), _hit("toy.a.g", 2, of="toy.a.f"), edge]
    rows += [{"count": edge["edge"], "line": 3, "n": 1}, {"hits": _name("toy.a.g"), "line": 0, "n": 1, "t": 2}]
    assert _record(tmp_path, *rows).entered["toy.a.g"].count == 1


def test_another_implementation_that_ran_instead_is_named(tmp_path: Path) -> None:
    seen = _record(tmp_path, _hit("toy.a.f", 1), _hit("toy.b.Real.put", 2, of="toy.a.f"))
    found = confirm.confirm([_path(_step("toy.a.f"), _step("toy.a.Abstract.put", "dynamic", 3))], seen)
    assert _verdicts(found) == ["seen", "not seen"]
    assert found.steps[1].why == "not entered in this run; the step before entered Real.put instead"
