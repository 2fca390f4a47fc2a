"""Makes the environment of an engine: a virtual environment with the pinned packages, and the engine's own code.

Each finished step leaves a stamp, so that an interrupted set-up goes on where it stopped; pip keeps what it downloaded.
One set-up at a time: the lock is left to pip too, which goes on when the process that started it is killed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tracer import atomic, checkout
from tracer.catalog import cache_dir
from tracer.checkout.store import writing
from tracer.probe.environment import REQUIREMENTS, SCENARIOS, Environment, ProbeError, venv_folder

Say = Callable[[str], None]

PACKAGES_MIB = 2700  # measured: the packages with a CPU build of torch, installed
CODE_MIB = {"tree": 0, "wheel": 120}
CPU_TORCH = "https://download.pytorch.org/whl/cpu"  # where builds of torch without CUDA are
TAIL = 400  # characters of pip's complaint that are shown


@dataclass(frozen=True, slots=True)
class Plan:
    """What `setup` would do: the steps that are missing, how much room they take, how much there is (MiB)."""

    steps: tuple[str, ...]
    needs: int
    free: int
    venv: Path


def plan(env: Environment, base: str = "", shared: Path | None = None) -> Plan:
    """What is missing for `env`; with `shared` (an interpreter that has the packages) only the engine's code."""
    venv = venv_folder(_label(base))
    steps = [] if shared or (venv / ".complete").is_file() else ["packages"]
    steps += [f"code {part.spec}" for part in _with_others(env) if _wants_code(part)]
    needs = sum(PACKAGES_MIB if s == "packages" else CODE_MIB["wheel"] for s in steps)
    free = shutil.disk_usage(cache_dir()).free >> 20
    return Plan(tuple(steps), needs, free, venv)


def build(
    env: Environment, say: Say, *, base: str = "", index: str = "", cuda: bool = False, shared: Path | None = None
) -> Path:
    """Make what is missing and return the interpreter; `base` is the Python to build with."""
    place = cache_dir() / "probe"
    with writing(place):
        place.mkdir(exist_ok=True)
        with atomic.alone(place, waiting=lambda: say("waiting: another set-up is at work")) as handle:
            os.set_inheritable(handle, True)
            return _build(env, say, base, index, cuda, shared)


def _build(env: Environment, say: Say, base: str, index: str, cuda: bool, shared: Path | None) -> Path:
    todo = plan(env, base, shared)
    if todo.needs > todo.free:
        raise ProbeError(
            f"needs {todo.needs} MiB, {todo.free} are free",
            where=str(cache_dir()),
            todo="free some room, or set TRACER_CACHE_DIR",
        )
    for part in _with_others(env):
        if part.code == "tree":
            checkout.open_tree((part.target, part.version), note=say)
    interpreter = shared or todo.venv / "bin" / "python"
    if "packages" in todo.steps:
        _packages(todo.venv, base or sys.executable, index, cuda, say)
    for part in _with_others(env):
        if _wants_code(part):
            _code(part, interpreter, index, say)
    return interpreter


def _with_others(env: Environment) -> Iterator[Environment]:
    yield env
    yield from env.others


def _wants_code(env: Environment) -> bool:
    return bool(env.packages or env.stubs) and not (env.installed / ".complete").is_file()


def _packages(venv: Path, base: str, index: str, cuda: bool, say: Say) -> None:
    say(f"packages into {venv}")
    interpreter = venv / "bin" / "python"
    venv.mkdir(exist_ok=True)
    _stamped(venv, "venv", lambda: _run([base, "-m", "venv", str(venv)], "the virtual environment"))
    lines = [line for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    torch = [line for line in lines if line.startswith("torch==")]
    _stamped(venv, "torch", lambda: _torch(interpreter, torch, index, cuda, say))
    rest = [line for line in lines if line not in torch]
    _stamped(venv, "rest", lambda: _pip(interpreter, [*rest, *_same_torch(interpreter)], index))
    (venv / ".complete").write_text("", encoding="utf-8")


def _torch(interpreter: Path, torch: list[str], index: str, cuda: bool, say: Say) -> None:
    """torch as a build without CUDA, from the configured index where it has one; else from PyTorch's own."""
    if cuda:
        _pip(interpreter, torch, index)
        return
    cpu = [f"{line}+cpu" for line in torch]
    try:
        _pip(interpreter, cpu, index)
    except ProbeError:
        say(f"the package index has no {cpu[0]}: taking it from {CPU_TORCH}")
        _pip(interpreter, [*cpu, "--extra-index-url", CPU_TORCH], index)


def _same_torch(interpreter: Path) -> list[str]:
    """Pin the build of torch that is there, so that no other package brings another."""
    asked = [str(interpreter), "-c", "import importlib.metadata as m; print(m.version('torch'))"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return [f"torch=={found}"] if found else []


def _code(env: Environment, interpreter: Path, index: str, say: Say) -> None:
    say(f"code of {env.spec} into {env.installed}")
    work = env.installed.with_name(env.installed.name + ".new")
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir(parents=True)
        if env.packages:
            _pip(interpreter, ["--no-deps", "--target", str(work), *env.packages], index)
        for stub in env.stubs:
            _stand_in(work, *stub.split("=="))
        (work / ".complete").write_text("", encoding="utf-8")
        shutil.rmtree(env.installed, ignore_errors=True)
        work.rename(env.installed)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _stand_in(folder: Path, name: str, version: str) -> None:
    """A package whose every name is an empty class, with its metadata, for one that is imported and not used."""
    (folder / name).mkdir()
    body = (SCENARIOS / "_stand_in.py").read_text(encoding="utf-8")
    (folder / name / "__init__.py").write_text(f'{body}__version__ = "{version}"\n', encoding="utf-8")
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")


def _stamped(venv: Path, name: str, work: Callable[[], None]) -> None:
    stamp = venv / f".{name}"
    if not stamp.is_file():
        work()
        stamp.write_text("", encoding="utf-8")


def _pip(interpreter: Path, arguments: list[str], index: str) -> None:
    chosen = ["--index-url", index] if index else []
    command = [str(interpreter), "-m", "pip", "install", "--disable-pip-version-check", "-q", *chosen, *arguments]
    _run(command, "pip")


def _run(command: list[str], what: str) -> None:
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, close_fds=False
    )
    if done.returncode:
        said = re.sub(r"\s+", " ", done.stderr.strip())[-TAIL:]
        raise ProbeError(f"{what} failed: {said}", todo="run it again: what is done is kept")


def _label(base: str) -> str:
    """The version of the Python to build with, as folders are called by."""
    if not base:
        return ""
    asked = [base, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    except OSError as error:
        raise ProbeError(f"cannot be run ({error.strerror})", where=base, todo="name a Python 3.10 or later") from error
    if not found:
        raise ProbeError("is no Python", where=base, todo="name a Python 3.10 or later")
    return found
