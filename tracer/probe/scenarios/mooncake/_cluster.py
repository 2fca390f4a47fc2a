"""A real master and real clients on 127.0.0.1 over TCP, each a process of its own. Standard library only.

Where TRACER_PROBE_NATIVE names a plan, master and clients run under gdb, whose breakpoints on the functions of the
shipped binaries write the recording. Beside it the master's own log (file:line) and its counters are recorded always.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _records

HERE = Path(__file__).resolve().parent
START = 90.0  # seconds a process may take to answer first; gdb needs some
HIDDEN = ("PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONHOME", "TRACER_PROBE_RECORDER")  # gdb has a Python of its own
MB = 1 << 20


class Client:
    """A client process; a call that is sent may be waited for later."""

    def __init__(self, process: subprocess.Popen[bytes], connection: socket.socket, name: str) -> None:
        self.process, self.name = process, name
        self._stream = connection.makefile("rw", encoding="utf-8")
        self.pid = int(json.loads(self._stream.readline())["pid"])

    def send(self, call: str, *args: Any) -> None:
        """Start a call of the store."""
        self._stream.write(json.dumps({"call": call, "args": args}) + "\n")
        self._stream.flush()

    def wait(self) -> Any:
        """The result of the call that was sent; raises RuntimeError with the store's own error."""
        line = self._stream.readline()
        if not line:
            raise RuntimeError(f"client {self.name} ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def __call__(self, call: str, *args: Any) -> Any:
        """One call of the store, and its result."""
        self.send(call, *args)
        return self.wait()

    def signal(self, number: int) -> None:
        """Send a signal to the process that holds the store (not to its debugger)."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once, as a crash does."""
        with contextlib.suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)


class Cluster:
    """Master and clients of one scenario; use it as a context: its end writes what the master said of itself."""

    def __init__(self, probe: Any, *, master: bool = True, **flags: Any) -> None:
        spec = importlib.util.find_spec("mooncake")
        folders = list(spec.submodule_search_locations or ()) if spec is not None else []
        if not folders:
            probe.skip("the package mooncake is not installed here")
        self.package = Path(folders[0])
        if not (self.package / "mooncake_master").is_file():
            probe.skip("the installed package has no mooncake_master")
        self._with_master = master
        self.probe, self.flags = probe, {"default_kv_lease_ttl": 5000, **flags}
        self.rpc, self.metrics_port = _port(), _port()
        self.master: subprocess.Popen[bytes] | None = None
        self.clients: list[Client] = []
        self.logs: list[Path] = []
        self.first: dict[str, float] = {}
        plan = os.environ.get("TRACER_PROBE_NATIVE", "")
        gdb = shutil.which("gdb")
        self.prefix = [gdb or "gdb", "-batch", "-nx", "-q", "-x", str(HERE.parents[1] / "breakpoints.py"), "--args"]
        if not plan or gdb is None:
            self.prefix = []
        probe.note("functions seen by", "gdb breakpoints" if self.prefix else "nothing: log and counters only")

    def __enter__(self) -> Cluster:
        if self._with_master:
            self.start_master()
            self.first = self.metrics()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._with_master:
                self._record()
        finally:
            self._end()

    def _end(self) -> None:
        for client in self.clients:
            client.kill()
        self.stop_master()

    # -- master ---------------------------------------------------------------------
    def start_master(self) -> None:
        """Start the master and wait until its counters can be read."""
        log = self.probe.folder / f"master-{len(self.logs)}.log"
        self.logs.append(log)
        flags = {
            "rpc_address": "127.0.0.1", "rpc_port": self.rpc, "metrics_port": self.metrics_port, "logtostderr": 1,
            "v": 1, "enable_metric_reporting": "false", **self.flags,
        }  # fmt: skip
        command = [str(self.package / "mooncake_master"), *(f"--{k}={v}" for k, v in flags.items())]
        with log.open("wb") as file:
            self.master = self._start(command, file)
        until = time.monotonic() + START
        while not self.metrics():
            if self.master.poll() is not None or time.monotonic() > until:
                tail = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
                raise RuntimeError(f"the master does not start: {' '.join(tail) or 'it says nothing'}")
            time.sleep(0.05)

    def stop_master(self, number: int = signal.SIGKILL) -> None:
        """End the master, by default as a crash does."""
        if self.master is None:
            return
        for pid in [*_children(self.master.pid), self.master.pid] if self.prefix else [self.master.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            if self.prefix:
                break  # the program under gdb; gdb then ends by itself
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.master.wait(20)
        if self.master.poll() is None:
            self.master.kill()
        self.master = None

    def metrics(self) -> dict[str, float]:
        """The master's counters now; empty if it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as page:
                return dict(_records.samples(page.read().decode("utf-8", "replace")))
        except OSError:
            return {}

    def metric(self, name: str) -> float:
        """One counter, 0 if there is none of that name."""
        return self.metrics().get(name, 0.0)

    def until(self, held: Callable[[], object], seconds: float) -> bool:
        """Wait until `held`, at most so long; whether it came to hold."""
        end = time.monotonic() + seconds
        while not held():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    # -- clients --------------------------------------------------------------------
    def client(self, name: str, *, segment: int = 64 * MB, buffer: int = 16 * MB, watched: bool = True) -> Client:
        """Start a client that gives `segment` bytes to the store; `watched` under gdb where there is one."""
        found = self._client(name, [], watched=watched)
        status = found("setup", "127.0.0.1", "P2PHANDSHAKE", segment, buffer, "tcp", "", f"127.0.0.1:{self.rpc}")
        if status != 0:
            raise RuntimeError(f"client {name}: setup returned {status}")
        return found

    def engine(self, name: str, *, watched: bool = True) -> Client:
        """Start a process with a transfer engine, without a store."""
        found = self._client(name, ["engine"], watched=watched)
        status = found("initialize", "127.0.0.1", "P2PHANDSHAKE", "tcp", "")
        if status != 0:
            raise RuntimeError(f"engine {name}: initialize returned {status}")
        return found

    def _client(self, name: str, more: list[str], *, watched: bool) -> Client:
        path = self.probe.folder / f"{name}.sock"
        command = [sys.executable, str(HERE / "_client.py"), str(path), *more]
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen(1)
            server.settimeout(START)
            with (self.probe.folder / f"{name}.log").open("wb") as log:
                process = self._start(command, log, watched=watched)
            connection, _ = server.accept()
        found = Client(process, connection, name)
        self.clients.append(found)
        return found

    def _start(self, command: list[str], output: Any, *, watched: bool = True) -> subprocess.Popen[bytes]:
        env = dict(os.environ)
        prefix = self.prefix if watched else []
        if prefix:
            env["TRACER_PROBE_INNER"] = json.dumps({k: env.pop(k) for k in HIDDEN if k in env})
        return subprocess.Popen([*prefix, *command], env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    # -- recording ------------------------------------------------------------------
    def _record(self) -> None:
        """Write the master's log and what moved in its counters as recordings of their own."""
        offset, year = time.time() - time.monotonic(), time.localtime().tm_year
        after = self.metrics()
        for number, log in enumerate(self.logs):
            with (self.probe.out / f"master-{number}-log.jsonl").open("w", encoding="utf-8") as file:
                file.write(json.dumps({"way": "log", "program": "mooncake_master"}) + "\n")
                with log.open(encoding="utf-8", errors="replace") as lines:
                    for row in _records.log_rows(lines, year=year, offset=offset):
                        file.write(json.dumps(row) + "\n")
        with (self.probe.out / "master-counters.jsonl").open("w", encoding="utf-8") as file:
            file.write(json.dumps({"way": "counter", "program": "mooncake_master"}) + "\n")
            for name, (was, now) in _records.moved(self.first, after).items():
                file.write(json.dumps({"counter": name, "before": was, "after": now}) + "\n")


def _children(pid: int) -> list[int]:
    """The child processes of `pid`."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(p) for p in task.read_text(encoding="utf-8").split()]
    return found


def _port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])
