"""Runs scenarios, or any program, in an engine's environment with the recorder on; leaves a folder per run.

OUT/<scenario>/run.json      what was run: engine, version, revision, command, exit status, seconds
OUT/<scenario>/result.json   what the scenario checked and noted (scenarios only)
OUT/<scenario>/<pid>-<n>.jsonl   the recording, one file a process

A folder takes one run at a time: its lock is left to what runs, because an engine may outlive us. `run.json` is
written last, so a folder without it tells of a run that did not end.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracer import atomic, checkout
from tracer.catalog import cache_dir
from tracer.errors import UsageError
from tracer.probe import native
from tracer.probe.environment import HERE, SCENARIOS, Environment, ProbeError, variables
from tracer.rules import in_range
from tracer.survey import survey
from tracer.survey.facts import FileFacts
from tracer.survey.store import Store
from tracer.targets import nearest

RUNNER = HERE / "runner.py"
WORK = "TRACER_PROBE_WORK"  # the variable that names a scenario's own folder, which is ours to take away
PATIENCE = 600  # seconds a run may take


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file of `scenarios/<engine>/`, read without running it."""

    name: str
    file: Path
    title: str
    paths: tuple[str, ...] = ()  # named paths it is meant for: "NAME KEY=VALUE…"
    versions: str = ""
    needs: tuple[str, ...] = ()  # what the machine must have: cuda, …


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one run; `outcome` is passed, failed, skipped or timed out."""

    name: str
    folder: Path
    outcome: str
    why: str
    status: int
    seconds: float
    result: Mapping[str, Any]


def scenarios(engine: str, version: str = "") -> list[Scenario]:
    """The scenarios of an engine, those that hold for `version` if one is given; by name."""
    files = sorted(p for p in (SCENARIOS / engine).glob("*.py") if not p.name.startswith("_"))
    found = [_read(file) for file in files]
    return [s for s in found if not version or in_range(s.versions, version)]


def chosen(env: Environment, names: Sequence[str]) -> list[Scenario]:
    """The scenarios called `names` ("all": every one for this version); `UsageError` with the nearest otherwise."""
    known = {s.name: s for s in scenarios(env.target.name)}
    if list(names) == ["all"]:
        return scenarios(env.target.name, env.version.name)
    for name in names:
        if name not in known:
            near = nearest(name, list(known))
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            todo = f"{hint}it has {', '.join(known) or 'none'}"
            raise UsageError(f"{env.target.name} has no scenario {name!r}", todo=todo)
        if not in_range(known[name].versions, env.version.name):
            raise UsageError(f"scenario {name!r} is for versions {known[name].versions}", where=env.spec)
    return [known[name] for name in names]


def _read(file: Path) -> Scenario:
    module = ast.parse(file.read_text(encoding="utf-8"))
    said: dict[str, Any] = {}
    for statement in module.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name in ("PATHS", "VERSIONS", "NEEDS"):
                said[name] = ast.literal_eval(statement.value)
    title = (ast.get_docstring(module) or file.stem).splitlines()[0]
    return Scenario(
        file.stem, file, title, tuple(said.get("PATHS", ())), said.get("VERSIONS", ""), tuple(said.get("NEEDS", ()))
    )


def run_scenario(
    env: Environment,
    scenario: Scenario,
    out: Path,
    python: Path,
    settings: Mapping[str, str],
    *,
    patience: float = PATIENCE,
) -> Run:
    """Run one scenario recorded into `out/<scenario>`."""
    with _recorded(out / scenario.name) as folder, atomic.scratch("probe") as work:
        return _run_scenario(env, scenario, folder, work, python, settings, patience)


def _run_scenario(
    env: Environment, scenario: Scenario, folder: Path, work: Path, python: Path, settings: Mapping[str, str],
    patience: float,
) -> Run:
    command = [str(python), str(RUNNER), str(scenario.file), str(folder), env.target.name, env.version.name]
    extra = {"TRACER_PROBE_START": "phase", WORK: str(work), **_breakpoints(env), **settings}
    if "cuda" in scenario.needs:
        extra.setdefault("TRACER_PROBE_DEVICE", "1")
    status, seconds = _run(command, variables(env, env.root_folders(), folder, extra=extra), folder, patience)
    if env.native:
        native.resolve(folder, native.Places(_cpp_files(env)))
    result: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    outcome, why = result.get("outcome", "failed"), result.get("why", "")
    if status is None:
        outcome, why = "timed out", f"ended after {patience:.0f} s"
    elif not result:
        why = f"the process ended with status {status}: see {folder / 'output.txt'}"
    _note_run(folder, env, command, status, seconds, settings, scenario.name)
    return Run(scenario.name, folder, outcome, why, -1 if status is None else status, seconds, result)


def _breakpoints(env: Environment) -> dict[str, str]:
    """Where the engine has compiled code and gdb can be used: the plan of its breakpoints, as a variable."""
    if not env.native or native.unable():
        return {}
    binaries = {env.installed / b: env.installed / named if named else None for b, named in env.native.items()}
    plan = native.write_plan(binaries, native.functions_of(_cpp_files(env)), cache_dir() / "probe" / "breakpoints")
    return {native.PLAN: str(plan)}


def _cpp_files(env: Environment) -> Mapping[str, FileFacts]:
    return native.cpp_files(survey(checkout.open_tree((env.target, env.version)), Store(), None))


def run_program(
    env: Environment | None,
    command: Sequence[str],
    roots: Sequence[Path],
    out: Path,
    settings: Mapping[str, str],
    *,
    patience: float = PATIENCE,
    quiet: bool = False,
) -> Run:
    """Run any command with the recorder on; `roots` are folders of code to record besides the engine's."""
    with _recorded(out) as folder:
        return _run_program(env, command, roots, folder, settings, patience, quiet)


def _run_program(
    env: Environment | None, command: Sequence[str], roots: Sequence[Path], folder: Path, settings: Mapping[str, str],
    patience: float, quiet: bool,
) -> Run:
    recorded = [*roots, *(env.root_folders() if env else [])]
    if not recorded:
        raise UsageError("no code is named to record", todo="name an ENGINE, or --root DIR")
    values = variables(env, recorded, folder, extra=settings)
    status, seconds = _run(list(command), values, folder, patience, quiet=quiet)
    _note_run(folder, env, list(command), status, seconds, settings, "")
    outcome = "timed out" if status is None else "passed" if status == 0 else "failed"
    why = "" if status == 0 else f"status {status}"
    return Run(folder.name, folder, outcome, why, -1 if status is None else status, seconds, {})


@contextlib.contextmanager
def _recorded(folder: Path) -> Iterator[Path]:
    """The folder of a run, without an earlier recording and held; `UsageError` if it holds something else."""
    todo = "name another --out"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic.alone(folder, wait=False) as handle:
            os.set_inheritable(handle, True)
            yield _fresh(folder)
    except BlockingIOError as error:
        raise UsageError("another run records into it", where=str(folder), todo=f"wait for it, or {todo}") from error
    except OSError as error:
        kind = ProbeError if atomic.is_room(error) else UsageError
        raise kind(f"cannot be written ({error.strerror})", where=str(error.filename or folder), todo=todo) from error


def _fresh(folder: Path) -> Path:
    """The folder without an earlier recording."""
    atomic.clear(folder)
    there = [p for p in folder.iterdir() if p.is_file()]
    strange = [
        p
        for p in there
        if p.suffix != ".jsonl" and p.name not in ("run.json", "result.json", "output.txt", "plan.json")
    ]
    if strange:
        raise UsageError(
            f"holds {strange[0].name}, which is no recording", where=str(folder), todo="name another --out"
        )
    for file in sorted(there, key=lambda p: p.name != "run.json"):  # it says that the rest is whole: it goes first
        if file.name != "plan.json":
            file.unlink()
    return folder.resolve()


def _run(
    command: list[str], env: Mapping[str, str], folder: Path, patience: float, *, quiet: bool = True
) -> tuple[int | None, float]:
    """Run to the end, or until patience ends, then the whole group is killed: status None."""
    since = time.monotonic()
    with (folder / "output.txt").open("wb") as output:
        try:
            child = subprocess.Popen(
                command,
                env=dict(env),
                stdout=output if quiet else None,
                stderr=subprocess.STDOUT if quiet else None,
                stdin=subprocess.DEVNULL if quiet else None,
                start_new_session=quiet,
                close_fds=False,  # the lock of the folder stays open in it; no other handle of ours is left open
            )
        except OSError as error:
            raise ProbeError(f"cannot be run ({error.strerror})", where=command[0]) from error
        try:
            with _ended_in_order():
                status: int | None = child.wait(patience)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if quiet:
                with contextlib.suppress(OSError):
                    os.killpg(child.pid, signal.SIGKILL)  # helpers that a scenario left behind
            elif child.poll() is None:
                child.kill()
            child.wait()
    return status, time.monotonic() - since


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """Ending us ends what we started: SIGTERM becomes an exception while we wait."""

    def end(*_: object) -> None:
        raise SystemExit(128 + signal.SIGTERM)

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _note_run(
    folder: Path,
    env: Environment | None,
    command: list[str],
    status: int | None,
    seconds: float,
    settings: Mapping[str, str],
    scenario: str,
) -> None:
    engines = []
    for part in [env, *env.others] if env else []:
        tree = checkout.open_tree((part.target, part.version))
        engines.append(
            {
                "name": part.target.name,
                "version": part.version.name,
                "roots": list(part.roots),
                "revision": {
                    "kind": tree.revision.kind,
                    "commit": tree.revision.commit,
                    "digest": tree.revision.digest,
                },
            }
        )
    document = {
        "schema": "tracer.probe/1",
        "engines": engines,
        "scenario": scenario,
        "command": command,
        "status": status,
        "seconds": round(seconds, 3),
        "settings": dict(settings),
        "tracer_python": sys.version.split()[0],
    }
    atomic.write(folder / "run.json", json.dumps(document, indent=1) + "\n")
