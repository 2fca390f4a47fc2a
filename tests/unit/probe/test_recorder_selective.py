"""Planned places, hand-overs and trouble: the recorder in processes of their own, on an invented package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tracer.probe import recorder, recording

PACKAGE = """
    import asyncio, multiprocessing, os, threading, time

    def decide(x):
        if x:
            y = 1
        else:
            y = 2
        return y

    def other():
        return decide(0)

    def gen():
        yield decide(1)
        yield decide(1)

    class Part:
        def go(self):
            return decide(1)

    def main():
        for _ in range(5):
            decide(1)
        other()
        list(gen())
        Part().go()

    def in_thread():
        t = threading.Thread(target=decide, args=(1,), name="helper")
        t.start()
        t.join()

    async def task():
        return decide(1)

    async def loop():
        await asyncio.create_task(task())

    def spawned():
        other()

    def spawn():
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=spawned)
        process.start()
        process.join()

    def calls(back):
        back()

    def forever():
        while True:
            decide(1)
    """
PLAN = {"symbols": ["pack.decide", "pack.gen", "pack.Part.go"], "lines": {"pack/__init__.py": [5, 6, 7]}, "most": 6}
OTHERS = sorted((Path.home() / ".pyenv" / "versions").glob("3.1[0-9].*/bin/python"))


def _pythons() -> list[str]:
    """Our own interpreter and one of each other version that recordings are made in."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for file in OTHERS:
        found.setdefault(".".join(file.parent.parent.name.split(".")[:2]), str(file))
    return [found[v] for v in sorted(found)]


def _run(
    tmp_path: Path, code: str, *, plan: object = PLAN, edges: bool = False, python: str = sys.executable, **more: str
) -> recording.Recording:
    """Record `code` as `probe run` does: through the environment and the site folder."""
    package = tmp_path / "pack"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text(dedent(PACKAGE).lstrip("\n"))
    out = tmp_path / "out"
    here = Path(recorder.__file__).parents[1]
    values = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": os.pathsep.join([str(here / "site"), str(tmp_path)]),
        "TRACER_PROBE_RECORDER": recorder.__file__,
        "TRACER_PROBE_OUT": str(out),
        "TRACER_PROBE_ROOTS": str(package),
        **more,
    }
    if plan is not None:
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        values["TRACER_PROBE_PLAN"] = str(tmp_path / "plan.json")
    if edges:
        values["TRACER_PROBE_EDGES"] = "1"
    script = tmp_path / "run.py"
    script.write_text("import pack\nif __name__ == '__main__':\n    " + code.replace("\n", "\n    ") + "\n")
    done = subprocess.run([python, str(script)], env=values, timeout=300, capture_output=True, text=True)
    (tmp_path / "stderr").write_text(done.stderr)
    return recording.load(out)


@pytest.mark.parametrize("python", _pythons(), ids=lambda p: re.sub(r".*/(3\.\d+)\..*", r"\1", p))
def test_planned_functions_and_lines_are_seen_and_nothing_else(tmp_path: Path, python: str) -> None:
    seen = _run(tmp_path, "pack.main()", python=python)
    assert set(seen.entered) == {"pack.decide", "pack.gen", "pack.Part.go"}
    assert seen.entered["pack.gen"].count == 1
    assert len(seen.entered["pack.decide"].times) <= 7
    assert seen.entered["pack.decide"].count >= 6
    assert {line for name, line in seen.lines if name == "pack.decide"} == {5, 7}  # line 6 holds no statement
    assert seen.lines["pack.decide", 7].count == 1


def test_before_3_12_every_hit_is_counted(tmp_path: Path) -> None:
    seen = _run(tmp_path, "pack.main()")
    if not hasattr(sys, "monitoring"):
        assert seen.entered["pack.decide"].count == 9
        assert seen.lines["pack.decide", 5].count >= 3
    assert not seen.edges


def test_callers_of_planned_functions_are_known(tmp_path: Path) -> None:
    seen = _run(tmp_path, "pack.Part().go()\npack.other()")
    assert ("pack.Part.go", "pack.decide") in seen.passages
    assert ("pack.other", "pack.decide") in seen.passages


def test_a_plan_and_edges_go_together(tmp_path: Path) -> None:
    seen = _run(tmp_path, "pack.main()", edges=True)
    assert seen.edges
    assert ("pack.main", "pack.other") in seen.passages
    assert ("pack.decide", 5) in seen.lines


def test_threads_tasks_and_processes_know_who_handed_over(tmp_path: Path) -> None:
    seen = _run(tmp_path, "pack.in_thread()\nimport asyncio\nasyncio.run(pack.loop())\npack.spawn()", plan=None)
    assert seen.passages["pack.in_thread", "pack.decide"].kinds == {"thread"}
    assert "task" in seen.passages["pack.loop", "pack.task"].kinds
    assert seen.passages["pack.spawn", "pack.spawned"].kinds == {"process"}
    assert ("pack.spawned", "pack.other") in seen.passages, "a spawned child records too"
    assert seen.processes >= 2


def test_a_thread_of_the_set_up_is_recorded_once_the_run_begins(tmp_path: Path) -> None:
    code = """import sys, threading
go = threading.Event()
t = threading.Thread(target=lambda: (go.wait(), pack.other()))
t.start()
pack.decide(1)
sys.modules['_tracer_recorder'].phase('run')
go.set()
t.join()"""
    seen = _run(tmp_path, code, plan=None, TRACER_PROBE_START="phase")
    assert ("pack.other", "pack.decide") in seen.passages
    assert seen.entered["pack.decide"].count == 1, "what was called in the set-up is not there"


def test_killed_in_the_middle_the_recording_is_readable(tmp_path: Path) -> None:
    code = "import os, signal, threading\nthreading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()"
    seen = _run(tmp_path, code + "\npack.forever()", edges=True)
    assert ("pack.forever", "pack.decide") in seen.passages
    assert seen.entered["pack.decide"].times


def test_a_full_disk_ends_the_recording_and_not_the_program(tmp_path: Path) -> None:
    code = """import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
for _ in range(100):
    pack.main()
import sys
sys.stderr.write('went on')"""
    seen = _run(tmp_path, code, plan={**PLAN, "most": 10_000})
    assert "went on" in (tmp_path / "stderr").read_text()
    size = sum(f.stat().st_size for f in (tmp_path / "out").glob("*.jsonl"))
    assert 1000 < size <= 2000
    assert seen.entered["pack.decide"].times, "what was written before can be read"


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    _run(tmp_path, "pack.main()")  # the recording that is read
    package = tmp_path / "pack"
    here = Path(recorder.__file__).parents[1]
    values = {
        "PYTHONPATH": os.pathsep.join([str(here / "site"), str(tmp_path)]),
        "TRACER_PROBE_RECORDER": recorder.__file__,
        "TRACER_PROBE_OUT": str(blocked / "below"),
        "TRACER_PROBE_ROOTS": str(package),
    }
    code = "import pack; pack.main(); print('went on')"
    done = subprocess.run([sys.executable, "-c", code], env=values, capture_output=True, text=True, timeout=300)
    assert "went on" in done.stdout
    assert "nothing is recorded" in done.stderr


def test_a_second_recorder_writes_a_file_of_its_own(tmp_path: Path) -> None:
    code = """import sys
r = sys.modules['_tracer_recorder']
import os
r.start(os.environ['TRACER_PROBE_OUT'], [os.environ['TRACER_PROBE_ROOTS']])
pack.main()"""
    seen = _run(tmp_path, code, plan=None)
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == 2
    assert ("pack.main", "pack.other") in seen.passages


def test_another_profiler_that_takes_over_is_a_gap(tmp_path: Path) -> None:
    seen = _run(tmp_path, "import sys\npack.other()\nsys.setprofile(lambda *a: None)\npack.main()", plan=None)
    assert any("another profiler" in gap for gap in seen.gaps)
    assert ("pack.other", "pack.decide") in seen.passages


def test_the_environments_own_sitecustomize_still_runs(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.stderr.write('own site')\n")
    _run(tmp_path, "pack.main()")
    assert "own site" in (tmp_path / "stderr").read_text()


def test_what_is_not_planned_costs_little(tmp_path: Path) -> None:
    """Not a benchmark (see tests/benchmarks): a plan that matches nothing must not record, and must end."""
    since = os.times()
    seen = _run(tmp_path, "[pack.main() for _ in range(2000)]", plan={"symbols": ["pack.nothing"], "lines": {}})
    assert not seen.entered
    now = os.times()
    assert now.children_user + now.children_system - since.children_user - since.children_system < 50


def test_what_a_scenario_calls_back_is_not_called_by_the_engine(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "mine.py").write_text("import pack\n\ndef back():\n    pack.other()\n")
    code = f"import sys\nsys.path.append({str(own)!r})\nimport mine\npack.calls(mine.back)"
    seen = _run(tmp_path, code, plan=None, TRACER_PROBE_OWN=str(own))
    assert ("pack.calls", "pack.other") not in seen.passages
    assert ("pack.other", "pack.decide") in seen.passages
