"""Runs one scenario inside the engine's own interpreter: `python runner.py SCENARIO.py OUT ENGINE VERSION`.

Standard library only, imports nothing of ours. Writes OUT/result.json: what the scenario checked, noted and took. Exit
status: 0 passed, 1 failed (a check that did not hold, an exception), 77 skipped.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SKIPPED = 77
_PARENT_DIED = 1  # PR_SET_PDEATHSIG of prctl(2)


class CheckError(Exception):
    """Something that a scenario says did not hold."""


class SkipError(Exception):
    """This machine or installation cannot run the scenario."""


class Probe:
    """What a scenario is given: its engine's version, a folder, and where to say what it saw."""

    def __init__(self, out: Path, engine: str, version: str, folder: Path) -> None:
        self.out, self.engine, self.version, self.folder = out, engine, version, folder
        self.release = tuple(int(n) for n in version.lstrip("v").split(".")[:3] if n.isdigit())
        self.checks: list[dict[str, Any]] = []
        self.notes: dict[str, Any] = {}
        self.began = 0.0
        self._recorder = sys.modules.get("_tracer_recorder")

    def begin(self) -> None:
        """The set-up is done: record from now on."""
        self.began = time.monotonic()
        if self._recorder is not None:
            self._recorder.phase("run")

    def end(self) -> None:
        """What follows (tearing down, comparing) is no part of the run."""
        if self._recorder is not None:
            self._recorder.phase("after")

    def check(self, held: object, claim: str) -> None:
        """Say what must have happened; the scenario fails where it did not."""
        self.checks.append({"claim": claim, "held": bool(held)})
        self.mark("check", claim=claim, held=bool(held))
        if not held:
            raise CheckError(claim)

    def note(self, key: str, value: Any) -> None:
        """Keep something that the reader should know: a backend that was chosen, what is stood in for."""
        self.notes[key] = value

    def mark(self, name: str, **data: Any) -> None:
        """A line of the scenario's own in the recording, in order with what the engine did."""
        if self._recorder is not None:
            self._recorder.mark(name, data)

    def skip(self, why: str) -> None:
        """End here: this cannot be run, and why."""
        raise SkipError(why)


def _end_with_parent() -> None:
    """Where the system can: end when whoever started the run is killed; nobody would read what came of it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DIED, signal.SIGKILL)


@contextlib.contextmanager
def _work() -> Iterator[Path]:
    """The folder that the scenario may use: given by whoever started the run, or its own."""
    given = os.environ.get("TRACER_PROBE_WORK", "")
    if given:
        yield Path(given)
        return
    with tempfile.TemporaryDirectory(prefix="tracer-probe-") as folder:
        yield Path(folder)


def main(arguments: list[str]) -> int:
    """Run the scenario and write its result."""
    file, out, engine, version = Path(arguments[0]), Path(arguments[1]), arguments[2], arguments[3]
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = [p for p in sys.path if p != here]  # a script's folder comes first: it must hide no module
    outcome, why = "passed", ""
    since = time.monotonic()
    _end_with_parent()
    with _work() as folder:
        probe = Probe(out, engine, version, folder)
        try:
            spec = importlib.util.spec_from_file_location("scenario", file)
            assert spec is not None and spec.loader is not None
            scenario = importlib.util.module_from_spec(spec)
            sys.path.append(str(file.parent))  # what the scenarios of an engine share
            sys.modules["scenario"] = scenario
            spec.loader.exec_module(scenario)
            scenario.run(probe)
            if not probe.began:
                raise CheckError("the scenario never said begin()")
            if not probe.checks:
                raise CheckError("the scenario checked nothing")
        except SkipError as error:
            outcome, why = "skipped", str(error)
        except CheckError as error:
            outcome, why = "failed", str(error)
        except BaseException as error:
            traceback.print_exc()
            outcome, why = "failed", f"{type(error).__name__}: {error}"
        probe.end()
        result = {
            "scenario": file.stem,
            "engine": engine,
            "version": version,
            "python": sys.version.split()[0],
            "outcome": outcome,
            "why": why,
            "seconds": round(time.monotonic() - since, 3),
            "seconds_recorded": round(time.monotonic() - probe.began, 3) if probe.began else 0,
            "checks": probe.checks,
            "notes": probe.notes,
        }
        half = out / ".result.json.tracer-half"
        half.write_text(json.dumps(result, indent=1, default=str) + "\n", encoding="utf-8")
        half.replace(out / "result.json")
    return {"passed": 0, "skipped": SKIPPED}.get(outcome, 1)


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.exit(status)
