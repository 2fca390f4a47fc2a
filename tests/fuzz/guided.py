"""Fuzzing guided by coverage: `pip install atheris`, then `python -m tests.fuzz.guided TARGET [SECONDS]`.

TARGET is one of `targets.TARGETS`, or "all": each for SECONDS. What breaks is left here as `crash-…`; cut
it down, mend what it shows, and put it into `tests/fuzz/found/TARGET/`, where every run of the tests reads it again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def run(target: str, seconds: int) -> None:
    """Never comes back: the fuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["tracer"]):
        from tests.fuzz.targets import TARGETS, seeds
    with tempfile.TemporaryDirectory() as place:
        for number, seed in enumerate(seeds(target)):
            Path(place, f"{number}").write_bytes(seed)
        options = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=60", "-rss_limit_mb=4096", "-verbosity=0"]
        atheris.Setup([sys.argv[0], *options, "-print_final_stats=1", place], TARGETS[target])
        atheris.Fuzz()


def main(target: str, seconds: int) -> int:
    """One target in this process, or all, each in its own."""
    if target != "all":
        run(target, seconds)
    from tests.fuzz.targets import TARGETS

    worst = 0
    for name in TARGETS:
        done = subprocess.run([sys.executable, "-m", "tests.fuzz.guided", name, str(seconds)], check=False)
        sys.stdout.write(f"{name}: status {done.returncode}\n")
        worst = worst or done.returncode
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 600))
