"""Runs inside gdb: breakpoints on named functions of a program and its libraries, each hit one line in a recording.

`gdb -batch -nx -x breakpoints.py --args PROGRAM …` with TRACER_PROBE_NATIVE naming a plan (JSON): `modules`, each with
the `path` of a binary and its `functions` as [address, size, symbol]; `limit`, hits until a function is no longer
stopped at. TRACER_PROBE_OUT is the folder of recordings; TRACER_PROBE_INNER (JSON) are variables of the program that
gdb itself must not have. Standard library and gdb only, imports nothing of ours.

    {"seen": SYMBOL, "how": "breakpoint", "from": [CALLER, 0], "kind": K, "thread": T, "t": NS}

A caller is the nearest frame below that lies in a named function; K is `native`, or `native indirect` where frames
without a name lie between. No line of the caller is known: the binaries have no line tables.
"""

from __future__ import annotations

import bisect
import json
import os
import time
from pathlib import Path
from typing import IO, Any

import gdb  # type: ignore[import-not-found,import-untyped,unused-ignore]

DEEPEST = 40  # frames that are looked at for a caller


class Recording:
    """One file of one debugged process; a row is written when it happens."""

    def __init__(self) -> None:
        self.out = os.environ["TRACER_PROBE_OUT"]
        self.file: IO[str] | None = None

    def open(self, pid: int) -> None:
        """Start the file of process `pid`."""
        number = 0
        while self.file is None:
            path = Path(self.out) / f"{pid}-native{number or ''}.jsonl"
            try:
                self.file = path.open("x", encoding="utf-8", buffering=1)
            except FileExistsError:
                number += 1
        self.write({"way": "gdb", "pid": pid, "program": gdb.current_progspace().filename or ""})

    def write(self, row: dict[str, Any]) -> None:
        """Append a row; a full disk ends the recording, never the engine."""
        if self.file is None:
            return
        try:
            self.file.write(json.dumps(row) + "\n")
        except OSError:
            self.file = None


class Modules:
    """Where the binaries of the plan are mapped, and which named function an address lies in."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.waiting = {os.path.realpath(m["path"]): m["functions"] for m in plan["modules"]}
        self.ranges: list[tuple[int, int, str]] = []
        self.starts: list[int] = []

    def load(self, pid: int) -> list[tuple[int, str]]:
        """The stops of the binaries that have been mapped since the last call: (address, symbol)."""
        stops = []
        for path, base in mapped(pid, set(self.waiting)).items():
            for address, size, symbol in self.waiting.pop(path):
                self.ranges.append((base + address, base + address + size, symbol))
                stops.append((base + address, symbol))
        if stops:
            self.ranges.sort()
            self.starts = [r[0] for r in self.ranges]
        return stops

    def at(self, address: int) -> str:
        """The named function at `address`, "" if it is in none."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i >= 0 and address < self.ranges[i][1]:
            return self.ranges[i][2]
        return ""


def mapped(pid: int, paths: set[str]) -> dict[str, int]:
    """The load addresses of those of `paths` that process `pid` has mapped."""
    found: dict[str, int] = {}
    if not paths:
        return found
    with Path(f"/proc/{pid}/maps").open(encoding="utf-8") as file:
        for line in file:
            parts = line.split(None, 5)
            if len(parts) == 6 and parts[5].strip() in paths and int(parts[2], 16) == 0:
                start = int(parts[0].split("-")[0], 16)
                found[parts[5].strip()] = min(start, found.get(parts[5].strip(), start))
    return found


class Stop(gdb.Breakpoint):  # type: ignore[misc,unused-ignore]
    """A breakpoint that writes what was entered and from where, and goes on."""

    def __init__(self, address: int, symbol: str, modules: Modules, recording: Recording, limit: int) -> None:
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self.symbol, self.modules, self.recording, self.left = symbol, modules, recording, limit

    def stop(self) -> bool:
        """Called by gdb at each hit; never stops the program."""
        self.left -= 1
        if self.left == 0:
            gdb.post_event(self.give_up)
        caller, between = "", False
        frame = gdb.newest_frame().older()
        for _ in range(DEEPEST):
            if frame is None or not frame.is_valid():
                break
            caller = self.modules.at(frame.pc() - 1)
            if caller:
                break
            between = True
            frame = frame.older()
        thread = gdb.selected_thread()
        row: dict[str, Any] = {"seen": self.symbol, "how": "breakpoint"}
        if caller:
            row |= {"from": [caller, 0], "kind": "native indirect" if between else "native"}
        row |= {"thread": f"{thread.name}:{thread.ptid[1] or thread.ptid[0]}", "t": time.monotonic_ns()}
        self.recording.write(row)
        return False

    def give_up(self) -> None:
        """Seen often enough."""
        self.enabled = False


def main() -> None:
    """Start the program of `--args` and record it until it ends."""
    plan = json.loads(Path(os.environ["TRACER_PROBE_NATIVE"]).read_text(encoding="utf-8"))
    for command in (
        "set pagination off",
        "set confirm off",
        "set startup-with-shell off",
        "set breakpoint always-inserted on",
        "set breakpoint pending off",
        "set print thread-events off",
        "set print inferior-events off",
        "set auto-solib-add off",
        "set debuginfod enabled off",
        "handle all nostop noprint pass",
        "handle SIGTRAP stop noprint nopass",
    ):
        try:
            gdb.execute(command, to_string=True)
        except gdb.error:
            continue
    for name, value in json.loads(os.environ.get("TRACER_PROBE_INNER", "{}")).items():
        gdb.execute(f"set environment {name} {value}")
    recording, modules = Recording(), Modules(plan)

    def place(_: object = None) -> None:
        pid = gdb.selected_inferior().pid
        for address, symbol in modules.load(pid):
            Stop(address, symbol, modules, recording, plan["limit"])

    gdb.execute("starti", to_string=True)
    recording.open(gdb.selected_inferior().pid)
    place()
    gdb.events.new_objfile.connect(place)
    code = 0
    while gdb.selected_inferior().pid:
        try:
            gdb.execute("continue", to_string=True)
        except gdb.error as error:
            recording.write({"gap": f"gdb: {error}"})
            break
    try:
        code = int(gdb.parse_and_eval("$_exitcode"))
    except gdb.error:
        code = 1
    recording.write({"end": code})
    gdb.execute(f"quit {code}")


main()
