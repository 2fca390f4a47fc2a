"""What recording costs: the same work with and without a recorder, in pairs; median of the ratios.

    python tests/benchmarks/recording.py [PYTHON …]      (recording_vllm.py: the same on a real engine)

The work is a loop that does little but call: the worst case. Modes: `selective` watches a named function and a line of
it, `edges` every caller and callee.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from textwrap import dedent

PAIRS = 5
PROBE = Path(__file__).resolve().parents[2] / "tracer" / "probe"
WORK = """
    def leaf(x):
        return x + 1

    def middle(x):
        return leaf(x) + leaf(x + 1)

    def decided(x):
        if x % 7 == 0:
            return middle(x)
        return leaf(x)

    def work(n):
        total = 0
        for k in range(n):
            total += decided(k)
            total += middle(k)
        return total
    """
RUN = """
    import sys, time
    import pack
    rounds = []
    for _ in range(3):
        since = time.process_time()
        pack.work(20000)
        rounds.append(time.process_time() - since)
    print(min(rounds))
    """
PLAN = {"symbols": ["pack.decided"], "lines": {"pack.py": [8]}, "most": 200}


def once(python: str, folder: Path, mode: str) -> float:
    """Seconds of the work in a process of its own, recorded as `mode` says."""
    values = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(folder)}
    if mode != "plain":
        out = tempfile.mkdtemp(dir=folder)
        values |= {
            "PYTHONPATH": os.pathsep.join([str(PROBE / "site"), str(folder)]),
            "TRACER_PROBE_RECORDER": str(PROBE / "recorder" / "__init__.py"),
            "TRACER_PROBE_OUT": out,
            "TRACER_PROBE_ROOTS": str(folder / "pack"),
        }
    if mode == "selective":
        values["TRACER_PROBE_PLAN"] = str(folder / "plan.json")
    done = subprocess.run([python, str(folder / "run.py")], env=values, capture_output=True, text=True, check=True)
    return float(done.stdout)


def compare(python: str, modes: tuple[str, ...] = ("selective", "edges")) -> dict[str, float]:
    """Mode → median over pairs of recorded time / plain time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pack").mkdir()
        (folder / "pack" / "__init__.py").write_text(dedent(WORK).lstrip("\n"))
        (folder / "run.py").write_text(dedent(RUN))
        (folder / "plan.json").write_text(json.dumps(PLAN | {"lines": {"pack/__init__.py": [8]}}))
        return {
            mode: statistics.median(once(python, folder, mode) / once(python, folder, "plain") for _ in range(PAIRS))
            for mode in modes
        }


def main(pythons: list[str]) -> None:
    """Print a line for each interpreter."""
    for python in pythons or [sys.executable]:
        asked = [python, "-c", "import sys; print(sys.version.split()[0])"]
        version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        ratios = ", ".join(f"{mode} {ratio:.2f}x" for mode, ratio in compare(python).items())
        print(f"synthetic, Python {version}: {ratios}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
