"""What runs as compiled code: the plan of breakpoints before a run, and what a recording shows of it after.

Three ways, each named with every function that was seen: breakpoints (gdb stopped at the function's first
instruction), the log (the program printed a line that the pinned source has in that function), counters (one that has
the function's name moved). Only the first gives callers.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracer import atomic
from tracer.errors import UsageError
from tracer.probe import elf, mangled
from tracer.survey import Facts
from tracer.survey.facts import FileFacts

BREAKPOINTS = Path(__file__).resolve().parent / "breakpoints.py"
PLAN = "TRACER_PROBE_NATIVE"  # the variable that names the plan to the breakpoints
LIMIT = 40  # hits after which a function is no longer stopped at
VERSION = 2  # of the plan's form
_NAMED = re.compile(r"^(\w+) (?:request|response):")  # a logger that is told whose line it writes


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of the program that moved during the run."""

    name: str
    before: float
    after: float


# -- before the run ---------------------------------------------------------------------
def unable() -> str:
    """Why breakpoints cannot be used on this machine; "" if they can."""
    if importlib.util.find_spec("elftools") is None:
        return "pyelftools is not installed, so functions are seen by log and counters only (pip install pyelftools)"
    gdb = shutil.which("gdb")
    if gdb is None:
        return "gdb is not installed: functions are seen by the log and the counters only (apt install gdb)"
    asked = [gdb, "-batch", "-nx", "-ex", "python print('python', 1)", "-ex", "starti", "--args", "true"]
    try:
        run = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"gdb does not answer: {error}"
    if "python 1" not in run.stdout:
        return "this gdb has no Python"
    if "Program stopped" not in run.stdout:
        return "gdb may not trace a process here (ptrace is forbidden)"
    return ""


def command() -> list[str]:
    """What stands before a program that is to be recorded; the plan and the folder come in by variables."""
    return [shutil.which("gdb") or "gdb", "-batch", "-nx", "-q", "-x", str(BREAKPOINTS), "--args"]


def write_plan(binaries: Mapping[Path, Path | None], known: Iterable[str], place: Path) -> Path:
    """Write where gdb is to stop; returns the file, which is kept as long as the binaries are the same.

    `binaries`: each binary, and for a stripped one the library whose names it takes. `known` are the symbols of the
    source: other functions of the binaries, its libraries' templates, are neither stopped at nor callers.
    Raises `UsageError` for what is no binary.
    """
    symbols = set(known)
    digest = hashlib.blake2b(repr((VERSION, LIMIT)).encode(), digest_size=8)
    for path in sorted({*binaries, *(n for n in binaries.values() if n)}):
        if not path.is_file():
            raise UsageError("is not there", where=str(path), todo="run `tracer probe setup` again")
        digest.update(path.read_bytes())
    digest.update("\n".join(sorted(symbols)).encode())
    file = place / f"breakpoints-{digest.hexdigest()}.json"
    if file.is_file():
        return file
    read = {p: elf.read(p) for p in {*binaries, *(n for n in binaries.values() if n)}}
    modules = []
    for path, named in sorted(binaries.items()):
        functions: Sequence[elf.Function] = read[path].exported
        if named is not None:
            functions = elf.carried_over(read[named], read[path])
        names = mangled.symbols(f.name for f in functions)
        rows = [[f.address, f.size, names[f.name]] for f in functions if names.get(f.name) in symbols]
        modules.append({"path": str(path.resolve()), "functions": rows})
    place.mkdir(parents=True, exist_ok=True)
    atomic.write(file, json.dumps({"limit": LIMIT, "modules": modules}))
    return file


def cpp_files(facts: Facts) -> dict[str, FileFacts]:
    """The C++ files of a tree with their facts."""
    known = ((f.path, facts.of(n)) for n, f in enumerate(facts.files))
    return {path: file for path, file in known if file.language == "cpp"}


def functions_of(files: Mapping[str, FileFacts]) -> set[str]:
    """The functions that these files define, as symbols."""
    return {d.name for f in files.values() for d in f.definitions if d.kind == "function"}


# -- after the run ----------------------------------------------------------------------
class Places:
    """Which function of the pinned source a line of a log lies in."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self._files = files
        self._paths: dict[str, list[str]] = {}
        self._told: dict[str, set[tuple[str, str]]] | None = None
        for path in sorted(files):
            self._paths.setdefault(path.rsplit("/", 1)[-1], []).append(path)

    def at(self, name: str, line: int, text: str) -> tuple[str, str]:
        """(symbol, path) of the function that wrote it, ("", "") if that is not certain."""
        named = _NAMED.match(text)
        if named is not None:
            return self._teller(named[1])
        found = {(s, p) for p in self._paths.get(name, ()) if (s := self._holder(p, line))}
        return next(iter(found)) if len(found) == 1 else ("", "")

    def _holder(self, path: str, line: int) -> str:
        inside = [d for d in self._files[path].definitions if d.kind == "function" and d.first <= line <= d.last]
        return min(inside, key=lambda d: d.last - d.first).name if inside else ""

    def _teller(self, word: str) -> tuple[str, str]:
        """The one function of that name that gives its own name, as a string, to a call."""
        if self._told is None:
            self._told = {}
            for path, file in self._files.items():
                for call in file.calls:
                    for arg in call.args:
                        if arg.path == "#str" and arg.text and call.scope >= 0:
                            symbol = file.definitions[call.scope].name
                            if symbol.rsplit("::", 1)[-1] == arg.text:
                                self._told.setdefault(arg.text, set()).add((symbol, path))
        found = self._told.get(word, set())
        return next(iter(found)) if len(found) == 1 else ("", "")


def resolve(folder: Path, places: Places) -> int:
    """Write which functions a recorded log and the counters show, as rows like any other's; returns how many.

    Each log file gets a file beside it, `…-seen.jsonl`. A counter that bears the name of a function which the log told
    of is a second witness of it; by itself it is no proof.
    """
    moved, written = counters(folder), 0
    for file in sorted(folder.glob("*-log.jsonl")):
        told: set[str] = set()
        with file.with_name(file.name.replace("-log.", "-log-seen.")).open("w", encoding="utf-8") as out:
            for row in rows(file):
                symbol, path = places.at(row["log"], row["line"], row.get("text", "")) if "log" in row else ("", "")
                if not symbol:
                    continue
                itself = path.endswith(f"/{row['log']}")
                how = f"log line {path}:{row['line']}" if itself else f"log of its name by {row['log']}"
                seen = {"seen": symbol, "how": how, "thread": str(row["thread"]), "t": row["t"]}
                out.write(json.dumps(seen) + "\n")
                written += 1
                if not itself:
                    told.add(symbol)
            for symbol in sorted(told):
                for c in counted(symbol, moved):
                    how = f"counter {c.name} {c.before:g} → {c.after:g}"
                    out.write(json.dumps({"seen": symbol, "how": how, "n": 0}) + "\n")
    return written


def counters(folder: Path) -> list[Counter]:
    """The counters that moved, by name."""
    found = [
        Counter(row["counter"], row["before"], row["after"])
        for file in sorted(folder.glob("*.jsonl"))
        for row in rows(file)
        if "counter" in row
    ]
    return sorted(found, key=lambda c: c.name)


def counted(symbol: str, moved: Sequence[Counter]) -> list[Counter]:
    """The counters that carry a function's name in snake case and grew: `PutEnd` → `…_put_end_requests_total`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", symbol.rsplit("::", 1)[-1]).lower()
    pattern = re.compile(rf"^(?:[a-z]+_)?{re.escape(words)}_requests(?:_total)?$")
    return [c for c in moved if pattern.match(c.name) and c.after > c.before]


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a recording up to where it was cut off."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                return
            if isinstance(row, dict):
                yield row
