"""Where an engine runs: its description (`scenarios/<engine>/environment.yaml`), its folders, and its variables.

One virtual environment holds the packages that all engines need; an engine's own code lies in a folder of its own and
comes in through PYTHONPATH, so that several versions share the packages. Takes `ENGINE@VERSION`; starts nothing.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tracer import checkout
from tracer.catalog import cache_dir
from tracer.errors import TracerError, UsageError
from tracer.rules import in_range
from tracer.targets import Target, Version, parse_spec

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE / "scenarios"
REQUIREMENTS = SCENARIOS / "requirements.txt"
PYTHON = "TRACER_PROBE_PYTHON"  # an interpreter that has the packages already


class ProbeError(TracerError):
    """An environment that is not there, or a run that could not be made."""


@dataclass(frozen=True, slots=True)
class Environment:
    """How an engine's code is had and run; `code` is `tree` (the fetched source) or `wheel` (installed by name)."""

    target: Target
    version: Version
    code: str
    packages: tuple[str, ...]  # installed without their dependencies into the code's folder
    roots: tuple[str, ...]  # the packages whose functions are recorded
    variables: Mapping[str, str]
    stubs: tuple[str, ...] = ()  # empty stand-ins, name==version
    libraries: tuple[str, ...] = ()  # folders below the code's for LD_LIBRARY_PATH
    system: tuple[str, ...] = ()  # shared libraries of the system that must be there
    native: Mapping[str, str] = field(default_factory=dict)  # binaries; for a stripped one, whose names it takes
    others: tuple[Environment, ...] = ()  # engines that it runs together with

    @property
    def spec(self) -> str:
        """ENGINE@VERSION."""
        return f"{self.target.name}@{self.version.name}"

    @property
    def installed(self) -> Path:
        """Where the code that is installed by name lies."""
        return cache_dir(write=False) / "probe" / "code" / f"{self.target.name}-{self.version.name}"

    def code_folders(self) -> list[Path]:
        """The folders to put on PYTHONPATH; `ProbeError` where one is not there."""
        folders = []
        if self.packages or self.stubs:
            if not (self.installed / ".complete").is_file():
                raise ProbeError("its code is not installed", where=self.spec, todo=f"run `{self.setup_command}`")
            folders.append(self.installed)
        if self.code == "tree":
            place = checkout.open_tree((self.target, self.version)).place
            prefix = next(iter(self.target.packages), "")
            folders.insert(0, place / prefix if prefix else place)
        for other in self.others:
            folders.extend(other.code_folders())
        return folders

    def root_folders(self) -> list[Path]:
        """The folders of the packages that are recorded."""
        names = [*self.roots, *(r for o in self.others for r in o.roots)]
        return [f / r for f in self.code_folders() for r in names if (f / r).is_dir()]

    @property
    def setup_command(self) -> str:
        """What makes it."""
        return f"tracer probe setup {self.spec}"


def environment(spec: str) -> Environment:
    """The environment of `ENGINE[@VERSION]`; `UsageError` where the engine has none."""
    target, version = parse_spec(spec)
    file = SCENARIOS / target.name / "environment.yaml"
    if not file.is_file():
        raise UsageError(f"{target.name} has no scenarios", todo=f"engines that have: {', '.join(engines())}")
    return _environment(target, version, yaml.safe_load(file.read_text(encoding="utf-8")))


def engines() -> list[str]:
    """The engines that can be run."""
    return sorted(p.parent.name for p in SCENARIOS.glob("*/environment.yaml"))


def _environment(target: Target, version: Version, data: Mapping[str, Any]) -> Environment:
    said = {k: v for k, v in data.items() if k != "versions"}
    for wanted, more in (data.get("versions") or {}).items():
        if in_range(wanted, version.name):
            said |= more
    names = {"version": version.package or version.name}
    return Environment(
        target,
        version,
        said.get("code", "wheel"),
        tuple(p.format(**names) for p in said.get("packages", ())),
        tuple(said["roots"]),
        {k: str(v) for k, v in (said.get("variables") or {}).items()},
        tuple(said.get("stubs", ())),
        tuple(said.get("libraries", ())),
        tuple(said.get("system", ())),
        dict(said.get("native") or {}),
        tuple(environment(o) for o in said.get("with", ())),
    )


# -- the shared packages ----------------------------------------------------------------
def venv_folder(base: str = "") -> Path:
    """The virtual environment for this interpreter and these pinned requirements."""
    pinned = hashlib.blake2b(REQUIREMENTS.read_bytes(), digest_size=4).hexdigest()
    label = base or f"{sys.version_info[0]}.{sys.version_info[1]}"
    return cache_dir(write=False) / "probe" / f"python-{label}-{pinned}"


def python(given: str = "") -> Path:
    """The interpreter that engines run in: the one given, the one `TRACER_PROBE_PYTHON` names, or that of `setup`."""
    named = given or os.environ.get(PYTHON, "")
    if named:
        found = Path(named).expanduser()
        if not found.is_file():
            raise ProbeError("is no interpreter", where=named, todo=f"correct --python or {PYTHON}")
        return found.absolute()
    ready = sorted((cache_dir(write=False) / "probe").glob("python-*/.complete"))
    current = venv_folder() / ".complete"
    for stamp in [current, *ready] if current in ready else ready:
        return stamp.parent / "bin" / "python"
    raise ProbeError("no environment for engines is set up", todo="run `tracer probe setup ENGINE`")


def variables(env: Environment | None, roots: list[Path], out: Path, *, extra: Mapping[str, str]) -> dict[str, str]:
    """The environment of a recorded process: the engine's code and ours on PYTHONPATH, and what the recorder reads."""
    found = dict(os.environ)
    path = [str(HERE / "site")]
    if env is not None:
        path += map(str, env.code_folders())
        for part in (*env.others, env):
            found |= part.variables
        libraries = [str(env.installed / p) for p in env.libraries]
        if libraries:
            found["LD_LIBRARY_PATH"] = os.pathsep.join([*libraries, *filter(None, [found.get("LD_LIBRARY_PATH", "")])])
        found.pop("PYTHONHOME", None)
        found.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling an engine's imports anew takes a minute
        found["PYTHONPYCACHEPREFIX"] = str(cache_dir(write=False) / "probe" / "bytecode")  # fetched sources stay as is
    path += [p for p in [os.environ.get("PYTHONPATH", "")] if p and env is None]
    return found | {
        "PYTHONPATH": os.pathsep.join(path),
        "TRACER_PROBE_RECORDER": str(HERE / "recorder" / "__init__.py"),
        "TRACER_PROBE_OUT": str(out),
        "TRACER_PROBE_ROOTS": os.pathsep.join(map(str, roots)),
        **extra,
    }
