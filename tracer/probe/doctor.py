"""What this machine can run, and why not the rest. Starts one interpreter; changes nothing."""

from __future__ import annotations

import ctypes.util
import json
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tracer.catalog import cache_dir
from tracer.errors import TracerError
from tracer.probe import environment
from tracer.probe.environment import Environment
from tracer.probe.run import Scenario, scenarios
from tracer.targets import target

PATIENCE = 120
_ASK = """
import importlib.util, json, sys
found = {"python": sys.version.split()[0], "monitoring": hasattr(sys, "monitoring")}
found |= {"torch": "", "cuda": False, "gpus": 0}
if importlib.util.find_spec("torch"):
    import torch
    found["torch"] = torch.__version__
    found["cuda"] = torch.cuda.is_available()
    found["gpus"] = torch.cuda.device_count() if found["cuda"] else 0
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: whether it is there, and what is lost without it."""

    what: str
    there: bool
    said: str
    without: str = ""


@dataclass(frozen=True, slots=True)
class Able:
    """One scenario: whether it can run here, or why not."""

    engine: str
    version: str
    scenario: str
    why_not: str


def examine() -> tuple[list[Finding], list[Able]]:
    """Look at the engines' interpreter, the machine, and every scenario on the newest pin that it runs for."""
    found: list[Finding] = []
    inside: dict[str, object] = {}
    try:
        interpreter: Path | None = environment.python()
    except TracerError as error:
        interpreter = None
        found.append(Finding("packages", False, error.what, f"no engine runs: {error.todo}"))
    if interpreter is not None:
        inside = _ask(interpreter)
        label = f"{interpreter} (Python {inside.get('python', '?')})"
        found.append(Finding("packages", bool(inside), label, "" if inside else "the interpreter does not start"))
    cuda = bool(inside.get("cuda"))
    found += [
        Finding(
            "sys.monitoring",
            bool(inside.get("monitoring")),
            "selective recording at its cheapest",
            "before Python 3.12, selective recording costs as `tracer/probe/README.md` says",
        ),
        Finding("torch", bool(inside.get("torch")), str(inside.get("torch") or "not there"), "no engine runs"),
        Finding(
            "cuda",
            cuda,
            f"{inside.get('gpus', 0)} devices" if cuda else "torch sees no CUDA device",
            "the device side (streams, events, copies) is not confirmed",
        ),
        _program("gdb", "Mooncake's C++ client is not confirmed function by function"),
        _program("bpftrace", "uprobes on Mooncake's libraries: gdb or the master's counters serve instead"),
        _room(),
        _loopback(),
    ]
    return found, [
        _able(name, s.name, s.needs, {f.what for f in found if f.there})
        for name in environment.engines()
        for s in scenarios(name)
    ]


def _able(engine: str, scenario: str, needs: tuple[str, ...], have: set[str]) -> Able:
    fitting = [v.name for v in target(engine).versions if any(s.name == scenario for s in scenarios(engine, v.name))]
    if not fitting:
        return Able(engine, "", scenario, "no pinned version that it is for")
    reason = ""
    for version in fitting:
        env = environment.environment(f"{engine}@{version}")
        missing = [n for n in needs if n not in have] + _libraries(env)
        if "packages" not in have:
            missing.append("packages")
        if missing:
            reason = reason or f"lacks {', '.join(missing)}"
            continue
        try:
            env.code_folders()
        except TracerError as error:
            reason = reason or f"{error.what}: {error.todo}"
            continue
        return Able(engine, version, scenario, "")
    return Able(engine, fitting[0], scenario, reason)


def lacking(env: Environment, scenario: Scenario) -> list[str]:
    """What this machine lacks of what a scenario and its engine need."""
    there: dict[str, bool] = {}
    if "cuda" in scenario.needs:
        there["cuda"] = bool(_ask(environment.python()).get("cuda"))
    there |= {"gdb": bool(shutil.which("gdb")), "bpftrace": bool(shutil.which("bpftrace")), "tcp": _loopback().there}
    return [n for n in scenario.needs if not there.get(n)] + _libraries(env)


def _libraries(env: Environment) -> list[str]:
    return [s for s in env.system if not _library(s)]


def _ask(interpreter: Path) -> dict[str, object]:
    try:
        done = subprocess.run(
            [str(interpreter), "-c", _ASK], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        return dict(json.loads(done.stdout))
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}


def _program(name: str, without: str) -> Finding:
    place = shutil.which(name)
    return Finding(name, place is not None, place or "not found", without)


def _library(name: str) -> bool:
    stem = name.split(".so")[0].removeprefix("lib")
    return ctypes.util.find_library(stem) is not None


def _room() -> Finding:
    place = cache_dir(write=False)
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free >> 20
    return Finding("disk", free > 3000, f"{free} MiB free at {place}", "`probe setup` needs about 2.7 GiB")


def _loopback() -> Finding:
    try:
        with socket.create_server(("127.0.0.1", 0)):
            return Finding("tcp", True, "a port on 127.0.0.1 can be opened")
    except OSError as error:
        return Finding("tcp", False, str(error), "servers (Mooncake's master, LMCache's server) do not run")
