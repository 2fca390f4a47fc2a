"""One command as a whole process: its wall and CPU seconds, its peak memory, and how it ended.

Takes an argument list and a time limit; makes a `Run`. Refuses to know what is being measured.

The kernel gives the peak of the largest process among the command and its waited-for descendants, not their sum, and
counts the pages that the starting process held until the command's own program was loaded: no figure can lie below
`floor_mb()`.  So the measuring program imports as little as it can.
"""

from __future__ import annotations

import dataclasses
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """How a command went; `code` is None if a limit ended it, negative if another signal did."""

    wall: float
    cpu: float
    peak_mb: float
    code: int | None
    complaint: str = ""

    @property
    def stopped(self) -> bool:
        """Whether the limit on its wall or CPU seconds ended it."""
        return self.code is None


def measure(
    command: Sequence[str],
    *,
    limit: float | None = None,
    cpu_limit: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Run:
    """Run `command` to its end or its `limit` in seconds; then its whole process group is killed.

    `cpu_limit` is the CPU seconds that each of its processes may use: unlike the wall's, what reaches it does not
    depend on what else the machine does.
    """

    def bound() -> None:
        if cpu_limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, resource.RLIM_INFINITY))

    with tempfile.TemporaryFile() as errors:
        late = threading.Event()
        started = time.perf_counter()
        try:
            child = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=None if env is None else dict(env),
                cwd=cwd,
                start_new_session=True,  # a group of its own, so that the limit reaches its children too
                preexec_fn=bound,
            )
        except OSError as error:
            return Run(0.0, 0.0, 0.0, 127, str(error))

        def stop() -> None:
            late.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(limit, stop) if limit is not None else None
        if timer:
            timer.start()
        try:
            # Not reaped yet: until the timer is surely over, the number must stay this child's.
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            wall = time.perf_counter() - started
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            if timer:
                timer.cancel()
                timer.join()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
    unit = 1 if sys.platform == "darwin" else 1024
    spent = cpu_limit is not None and child.returncode == -signal.SIGXCPU
    stopped = spent or (late.is_set() and child.returncode == -signal.SIGKILL)
    code = None if stopped else child.returncode
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6, code, lines[-1] if lines else "")


def floor_mb() -> float:
    """The least peak that a measured command can show here."""
    return measure(["true"]).peak_mb
