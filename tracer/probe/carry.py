"""What a machine with a CUDA device and without a network needs to run an engine's scenarios: gathered into one folder.

The engine's own code (packed), the small packages that such a machine lacks (wheels), the recorder with the scenarios,
and `run.sh`, which unpacks, runs and leaves the recordings. torch, numpy, Triton and transformers must be there.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracer import atomic
from tracer.errors import UsageError
from tracer.probe.environment import HERE, REQUIREMENTS, Environment, ProbeError
from tracer.probe.run import scenarios

THERE = frozenset({"torch", "numpy", "triton", "transformers"})  # what such a machine has
PATIENCE = 900
PARTS = ("recorder", "runner.py", "site")

RUN = """#!/bin/sh
# Runs the scenarios named as arguments (all of them without any) on this machine, without a network.
# PYTHON names the interpreter that has torch; OUT where the recordings go. Ends with 1 if one failed.
set -e
here=$(cd "$(dirname "$0")" && pwd)
python=${{PYTHON:-python3}}
out=${{OUT:-$here/out}}
lib=$here/lib
if [ ! -e "$lib/.complete" ]; then
    mkdir -p "$lib"
    "$python" -m pip install -q --no-index --no-deps --target "$lib" "$here"/wheels/*.whl
    # Packed by us: an older Python that has no filter may unpack it too.
    "$python" -c 'import sys, tarfile
safe = {{"filter": "data"}} if hasattr(tarfile, "data_filter") else {{}}
tarfile.open(sys.argv[1]).extractall(sys.argv[2], **safe)' "$here/code.tar.xz" "$here/code"
    touch "$lib/.complete"
fi
export PYTHONPATH="$here/probe/site:{folders}:$lib"
export TRACER_PROBE_RECORDER="$here/probe/recorder/__init__.py" TRACER_PROBE_ROOTS="{roots}"
export TRACER_PROBE_DEVICE=1 TRACER_PROBE_EDGES=1 {variables}
failed=0
for name in ${{*:-{names}}}; do
    folder=$out/$name
    rm -rf "$folder"
    mkdir -p "$folder"
    status=0
    TRACER_PROBE_OUT=$folder TRACER_PROBE_START=phase "$python" "$here/probe/runner.py" \\
        "$here/probe/scenarios/{engine}/$name.py" "$folder" {engine} {version} > "$folder/output.txt" 2>&1 || status=$?
    printf '%s' '{run}' | sed "s/NAME/$name/" > "$folder/run.json"  # last: a run that was killed has none
    case $status in
        0) echo "$name: passed";;
        77) echo "$name: skipped: $(sed -n 's/^ "why": "\\(.*\\)",$/\\1/p' "$folder/result.json")";;
        *) echo "$name: failed, see $folder/output.txt"; failed=1;;
    esac
done
exit $failed
"""


@dataclass(frozen=True, slots=True)
class Carried:
    """What was gathered: name → bytes; packages for which there is no wheel; the scenarios."""

    folder: Path
    sizes: dict[str, int]
    lacking: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def total(self) -> int:
        """All of it, in bytes."""
        return sum(self.sizes.values())


def carry(
    env: Environment,
    out: Path,
    say: Callable[[str], None],
    *,
    names: Sequence[str] = (),
    python: str = "3.12",
    index: str = "",
) -> Carried:
    """Gather into `out`, which must be empty or absent; `python` is the version of the other machine's interpreter.

    It is gathered beside `out` and moved there when it is whole; what a killed one left goes when the next begins.
    """
    if out.exists() and any(out.iterdir()):
        raise UsageError("is not empty", where=str(out), todo="name another --out")
    known = [s.name for s in scenarios(env.target.name, env.version.name)]
    wanted = list(names) or [
        s.name for s in scenarios(env.target.name, env.version.name) if "cuda" in s.needs or s.name in ("generation",)
    ]
    for name in wanted:
        if name not in known:
            raise UsageError(f"{env.spec} has no scenario {name!r}", todo=f"it has {', '.join(known)}")
    if not wanted:
        raise UsageError(f"{env.spec} has no scenario for a CUDA device", todo="name the scenarios to carry")
    half = out.with_name(f".{out.name}{atomic.HALF}")
    try:
        half.mkdir(parents=True, exist_ok=True)
        with atomic.alone(half, wait=False):
            shutil.rmtree(half)
            half.mkdir()
            try:
                sizes, lacking = _gather(env, half, say, wanted, python, index)
                half.rename(out)
            finally:
                shutil.rmtree(half, ignore_errors=True)
    except BlockingIOError as error:
        raise UsageError("another process gathers into it", where=str(out), todo="name another --out") from error
    except OSError as error:
        raise ProbeError(f"cannot be written ({error.strerror})", where=str(out), todo="name another --out") from error
    return Carried(out, sizes, lacking, tuple(wanted))


def _gather(
    env: Environment, out: Path, say: Callable[[str], None], wanted: Sequence[str], python: str, index: str
) -> tuple[dict[str, int], tuple[str, ...]]:
    """All that is carried, into an empty folder: the sizes, and the packages that have no wheel."""
    say("packing the engine's code")
    folders = _pack(env, out / "code.tar.xz")
    say("gathering small packages")
    lacking = _wheels(out / "wheels", python, index)
    _parts(env, out / "probe")
    roots = ":".join(f"$here/code/{n}/{r}" for n, f in folders for r in env.roots if (f / r).is_dir())
    values = {k: v for k, v in env.variables.items() if not k.endswith("_TARGET_DEVICE")}
    engine = {"name": env.target.name, "version": env.version.name}
    run = json.dumps({"schema": "tracer.probe/1", "scenario": "NAME", "engines": [engine]})
    script = RUN.format(
        folders=":".join(f"$here/code/{n}" for n, _ in folders), roots=roots, names=" ".join(wanted), run=run,
        variables=" ".join(f"{k}={v}" for k, v in sorted(values.items())), engine=env.target.name,
        version=env.version.name,
    )  # fmt: skip
    (out / "run.sh").write_text(script, encoding="utf-8")
    (out / "run.sh").chmod(0o755)
    sizes = {p.name: sum(f.stat().st_size for f in _files(p)) for p in sorted(out.iterdir())}
    return sizes, lacking


def _pack(env: Environment, file: Path) -> list[tuple[str, Path]]:
    """Pack the packages of each code folder, without bytecode and tests' data; returns (name inside, folder)."""
    folders = [(str(n), f) for n, f in enumerate(env.code_folders())]
    with tarfile.open(file, "w:xz", preset=2) as tar:
        for name, folder in folders:
            for root in env.roots:
                if (folder / root).is_dir():
                    tar.add(folder / root, f"{name}/{root}", filter=_plain)
    return folders


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """No bytecode; nothing of this machine's users and times."""
    if "__pycache__" in info.name or info.name.endswith(".pyc") or not (info.isfile() or info.isdir()):
        return None
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def _wheels(folder: Path, python: str, index: str) -> tuple[str, ...]:
    """Download the wheels of the pinned small packages, each by itself; returns those without one."""
    folder.mkdir()
    lines = (line.split("#", 1)[0].strip() for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines())
    wanted = [w for w in lines if w and w.split("==")[0].lower() not in THERE]
    lacking: list[str] = []
    if not _download(wanted, folder, python, index):  # one of them has no wheel: find out which
        lacking = [w for w in wanted if not _download([w], folder, python, index)]
    if not any(folder.iterdir()):
        raise ProbeError("no package could be had", todo="see whether pip reaches its index, or give --index-url")
    return tuple(lacking)


def _download(wanted: Sequence[str], folder: Path, python: str, index: str) -> bool:
    """Have the wheels of `wanted`, without what they depend on; False if one cannot be had."""
    command = [
        sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--dest", str(folder),
        "--python-version", python, "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64",
        "--implementation", "cp", "--abi", f"cp{python.replace('.', '')}", "--abi", "abi3", "--abi", "none",
        *(["--index-url", index] if index else []), *wanted,
    ]  # fmt: skip
    try:
        return not subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProbeError(f"pip does not end: {error}", where=wanted[0]) from error


def _parts(env: Environment, folder: Path) -> None:
    """The recorder, the runner and the engine's scenarios."""
    for part in PARTS:
        if (HERE / part).is_dir():
            shutil.copytree(HERE / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(HERE / part, folder / part)
    name = env.target.name
    shutil.copytree(
        HERE / "scenarios" / name, folder / "scenarios" / name, ignore=shutil.ignore_patterns("__pycache__")
    )


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    else:
        yield from (p for p in place.rglob("*") if p.is_file())
