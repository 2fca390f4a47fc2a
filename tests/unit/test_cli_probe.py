"""`probe` on the command line, with small programs and no engine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tracer.cli import main
from tracer.probe import environment, run, setup

PROGRAM = """
    import toy.parts

    toy.parts.outer()
    """
PARTS = """
    import os, signal

    def inner():
        return 1

    def outer():
        return inner()

    def never():
        return 2
    """


def _program(tmp_path: Path, text: str = PROGRAM) -> Path:
    package = tmp_path / "toy"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text(dedent(PARTS).lstrip("\n"))
    (tmp_path / "x.py").write_text(dedent(text))
    return package


def _trace(tmp_path: Path, *names: str) -> Path:
    keys = {"file": "toy/parts.py", "def_line": 1, "edge": "call", "from_file": "toy/parts.py", "from_line": 7}
    steps = [{"symbol": f"toy.parts.{name}", **keys} for name in names]
    paths = [{"name": "p", "title": "P", "steps": steps, "end": "complete"}]
    file = tmp_path / "path.json"
    file.write_text(json.dumps({"schema": "tracer.path/1", "engines": [], "paths": paths}))
    return file


def _tracer(*words: object) -> int:
    return main([str(w) for w in words])


def test_any_program_is_run_and_its_trace_confirmed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    package, trace = _program(tmp_path), _trace(tmp_path, "outer", "inner")
    out = tmp_path / "rec"
    command = (
        "probe",
        "run",
        "--trace",
        trace,
        "--root",
        package,
        "--out",
        out,
        "--",
        sys.executable,
        tmp_path / "x.py",
    )
    assert _tracer(*command) == 0
    document = json.loads((out / "run.json").read_text())
    assert document["schema"] == "tracer.probe/1"
    assert document["status"] == 0
    capfd.readouterr()
    assert _tracer("probe", "confirm", trace, out) == 0
    said = capfd.readouterr().out
    assert "2 of 2 steps seen (100 %)" in said
    assert "not seen is not dead" in said


def test_what_did_not_run_is_not_seen(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    package, trace = _program(tmp_path), _trace(tmp_path, "outer", "never")
    _tracer("probe", "run", "--root", package, "--out", tmp_path / "rec", "--", sys.executable, tmp_path / "x.py")
    capfd.readouterr()
    assert _tracer("probe", "confirm", trace, tmp_path / "rec", "--format", "json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["schema"] == "tracer.probe-confirm/1"
    assert found["counts"] == {"steps": 2, "seen": 1, "not_seen": 1, "contradicted": 0}
    assert found["paths"][0]["steps"][1]["why"] == "not entered in this run"


def test_a_contradicted_step_is_status_1(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "import toy.parts\ntoy.parts.inner()\ntoy.parts.never()"
    package, trace = _program(tmp_path, text), _trace(tmp_path, "never", "inner")
    out = tmp_path / "rec"
    _tracer("probe", "run", "--trace", trace, "--root", package, "--out", out, "--", sys.executable, tmp_path / "x.py")
    assert _tracer("probe", "confirm", trace, out) == 1
    assert "1 contradicted" in capfd.readouterr().out


def test_a_program_that_is_killed_leaves_a_recording(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "import os, signal, toy.parts\ntoy.parts.outer()\nos.kill(os.getpid(), signal.SIGKILL)"
    package, trace = _program(tmp_path, text), _trace(tmp_path, "outer", "inner")
    out = tmp_path / "rec"
    command = ("probe", "run", "--root", package, "--out", out, "--", sys.executable, tmp_path / "x.py")
    assert _tracer(*command) == 1
    capfd.readouterr()
    assert _tracer("probe", "confirm", trace, out) == 0
    assert "2 of 2 steps seen" in capfd.readouterr().out


def test_a_recording_that_is_cut_off_or_did_not_end_says_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    package, trace, out = _program(tmp_path), _trace(tmp_path, "outer", "inner"), tmp_path / "rec"
    assert _tracer("probe", "run", "--root", package, "--out", out, "--", sys.executable, tmp_path / "x.py") == 0
    capfd.readouterr()
    assert _tracer("probe", "confirm", trace, out) == 0
    whole = capfd.readouterr().out
    (file,) = out.glob("*.jsonl")
    file.write_bytes(file.read_bytes()[:-3])
    (out / "run.json").unlink()
    assert _tracer("probe", "confirm", trace, out) == 0
    cut = capfd.readouterr().out
    for said in (f"{file.stem} is cut off", "rec has no run.json: its run has not ended, or was killed"):
        assert said in cut and said not in whole


def test_a_program_that_never_ends_is_ended(tmp_path: Path) -> None:
    package = _program(tmp_path, "import toy.parts\nwhile True:\n    toy.parts.outer()")
    command = ("probe", "run", "--timeout", "3", "--root", package, "--out", tmp_path / "rec")
    assert _tracer(*command, "--", sys.executable, tmp_path / "x.py") == 1
    assert list((tmp_path / "rec").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "vllm"), "no scenario is named"),
        (("run", "vllm", "prefxi"), "did you mean prefix"),
        (("run", "--", "true"), "no code is named"),
        (("run", "--root", ".", "--out", "{tmp}/r", "--", "/no/such/program"), "cannot be run"),
        (("confirm", "{tmp}/none.json", "{tmp}"), "cannot be read"),
        (("confirm", "{tmp}"), "a trace and a recording"),
        (("recall", "vllm", "{tmp}"), "no recording"),
    ],
)
def test_errors_are_one_line(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(environment.PYTHON, sys.executable)
    status = _tracer("probe", *(w.format(tmp=tmp_path) for w in words))
    error = capfd.readouterr().err
    assert status in (2, 3)
    assert said in error
    assert error.strip().count("\n") == 0


def test_every_scenario_is_listed_with_what_it_does(capfd: pytest.CaptureFixture[str]) -> None:
    assert _tracer("probe", "list") == 0
    said = capfd.readouterr().out
    for engine in environment.engines():
        for scenario in run.scenarios(engine):
            assert scenario.name in said
            assert len(scenario.title) > 20, f"{engine} {scenario.name} does not say what it does"


def test_scenarios_name_paths_that_there_are() -> None:
    from tracer.paths.routes import routes

    known = {(r.engines[0], n) for r in routes() for n in (r.name, r.id)}
    for engine in environment.engines():
        for scenario in run.scenarios(engine):
            for path in scenario.paths:
                assert (engine, path.split()[0]) in known, f"{engine} {scenario.name}: no path {path}"


def test_what_runs_in_the_engine_imports_nothing_of_ours() -> None:
    place = environment.HERE
    files = [place / "runner.py", *(place / "recorder").glob("*.py"), *(place / "site").glob("*.py")]
    files += (place / "scenarios").rglob("*.py")
    assert len(files) > 12
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "import tracer" not in text, file
        assert "from tracer" not in text, file


def test_setup_says_what_is_missing_and_how_large_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path))
    todo = setup.plan(environment.environment("lmcache@0.5.6"))
    assert todo.steps[0] == "packages"
    assert todo.steps[1].startswith("code lmcache")
    assert todo.needs > 2000
    assert not list(tmp_path.iterdir()), "planning makes nothing"
    shared = setup.plan(environment.environment("lmcache@0.5.6"), shared=Path(sys.executable))
    assert shared.steps == todo.steps[1:]


def test_doctor_says_why_not(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACER_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv(environment.PYTHON, raising=False)
    assert _tracer("probe", "doctor", "--format", "json") == 0
    found = json.loads(capfd.readouterr().out)
    machine = {f["what"]: f for f in found["machine"]}
    assert not machine["packages"]["there"]
    assert "probe setup" in machine["packages"]["without"]
    assert found["scenarios"]
    assert all(s["why_not"] for s in found["scenarios"]), "nothing runs without packages"
