"""Other tools on the same tree: where each comes from and the one command that is timed.

Takes a peer's name and a folder to install into; makes its command, or says in `Absent` why it cannot be had.
Refuses to know about the tracer.  A peer already in the folder is not installed again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CPU_LIMIT = 150
"""CPU seconds a peer may take on one tree."""
LIMIT = 900.0
"""Wall seconds after which it is stopped too: it waits for something."""
_INSTALL_LIMIT = 300.0


class Absent(Exception):
    """A peer that cannot be had here, and why."""


def _do(*command: str, cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, errors="replace", timeout=_INSTALL_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Absent(str(error)) from error
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit {done.returncode}").splitlines()
        raise Absent(f"{command[0]}: {said[-1]}")
    return done.stdout


def _from_pypi(package: str, program: str, home: Path) -> str:
    place = home / package
    if not (place / "bin" / program).exists():
        _do(sys.executable, "-m", "venv", str(place))
        _do(str(place / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", package)
    return str(place / "bin" / program)


def _from_npm(package: str, program: str, home: Path) -> str:
    place = home / program
    found = place / "node_modules" / ".bin" / program
    if not found.exists():
        _do("npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(place), package)
    return str(found)


def _from_apt(package: str, program: str, home: Path) -> str:
    """Unpack the distribution's package into a folder: no rights on the system are needed."""
    place = home / package
    found = place / "usr" / "bin" / program
    if not found.exists():
        place.mkdir(parents=True, exist_ok=True)
        _do("apt-get", "download", package, cwd=place)
        for deb in sorted(place.glob("*.deb")):
            _do("dpkg", "-x", str(deb), str(place))
    return str(found)


def _ctags(home: Path) -> str:
    there = shutil.which("ctags")
    if there and "Universal Ctags" in _do(there, "--version"):
        return there
    return _from_apt("universal-ctags", "ctags-universal", home)


def _run_ctags(home: Path, tree: Path) -> list[str]:
    return [_ctags(home), "-R", "--languages=Python,C++", "-f", "-", str(tree)]


def _run_ast_grep(home: Path, tree: Path) -> list[str]:
    return [_from_pypi("ast-grep-cli", "ast-grep", home), "run", "-p", "self.$F = $V", "-l", "python", str(tree)]


def _run_pyan3(home: Path, tree: Path) -> list[str]:
    # Sorted: the order of its files changes its result.
    files = sorted(str(path) for path in tree.rglob("*.py"))
    return [_from_pypi("pyan3", "pyan3", home), "--uses", "--no-defines", "--dot", *files]


def _run_code2flow(home: Path, tree: Path) -> list[str]:
    files = sorted(str(path) for path in tree.rglob("*.py"))
    program = _from_pypi("code2flow", "code2flow", home)
    return [program, "--skip-parse-errors", "--quiet", "--output", str(tree.parent / "peer.gv"), *files]


def _run_pycg(home: Path, tree: Path) -> list[str]:
    python = _from_pypi("pycg", "python", home)  # its archive has no program of its own
    if not (home / "pycg" / "complete").exists():
        _do(str(home / "pycg" / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", "pycg", "setuptools<80")
        # Its folder is spelt PyCG, its imports pycg: the same only where file names have no case.
        for place in (home / "pycg" / "lib").glob("python*/site-packages"):
            if (place / "PyCG").is_dir() and not (place / "pycg").exists():
                (place / "pycg").symlink_to("PyCG")
        (home / "pycg" / "complete").touch()
    files = sorted(str(path) for path in tree.rglob("*.py"))
    return [python, "-m", "pycg", "--package", str(tree), "--output", str(tree.parent / "peer.json"), *files]


def _run_scip_python(home: Path, tree: Path) -> list[str]:
    program = _from_npm("@sourcegraph/scip-python", "scip-python", home)
    # No packages are installed beside the tree: without this it would ask pip for the list.
    nothing = home / "no-packages.json"
    nothing.write_text("[]", encoding="utf-8")
    return [
        program, "index", "--quiet", "--project-name", "peer", "--project-version", "0",
        "--environment", str(nothing), "--cwd", str(tree), "--output", str(tree.parent / "peer.scip"),
    ]  # fmt: skip


PEERS: dict[str, tuple[str, Callable[[Path, Path], list[str]]]] = {
    "ctags": ("definitions (Python, C++)", _run_ctags),
    "ast-grep": ("one pattern (Python)", _run_ast_grep),
    "pyan3": ("call graph (Python)", _run_pyan3),
    "code2flow": ("call graph (Python)", _run_code2flow),
    "pycg": ("call graph by value flow (Python)", _run_pycg),
    "scip-python": ("definitions and references (Python)", _run_scip_python),
}
"""Name -> what it does of the tracer's job, and its command for a tree; in the order in which they are run."""


def command(peer: str, home: Path, tree: Path) -> list[str]:
    """The peer's command on `tree`, after installing it below `home`; `Absent` if it cannot be had."""
    home.mkdir(parents=True, exist_ok=True)
    return PEERS[peer][1](home, tree)


def version(program: str) -> str:
    """What the peer says its version is, shortened; empty if it does not say, or is a module of a Python."""
    if Path(program).name == "python":
        return ""
    try:
        said = _do(program, "--version").split()
    except Absent:
        return ""
    return next((word.strip(",") for word in said if word[:1].isdigit()), "")
