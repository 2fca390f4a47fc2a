"""The file that one process appends its rows to: one JSON object a line, each written at once.

A full disk, or too much, ends the recording, never the engine.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

MOST_BYTES = 1 << 30  # of one process's file


class Log:
    """Takes the folder of the recording; `full` says that nothing more is recorded."""

    def __init__(self, out: str) -> None:
        self.out, self.full = out, False
        self._file, self._left = -1, MOST_BYTES

    def open(self, roots: Sequence[str]) -> None:
        """Begin a file of this process's own; a second recorder of the same process id takes the next number."""
        for number in itertools.count():
            path = f"{self.out}/{os.getpid()}-{number}.jsonl"
            try:
                self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o644)
            except FileExistsError:
                continue
            except OSError:
                self.full = True  # no room for a new file: the engine goes on unrecorded
            break
        self._left = MOST_BYTES
        self.write({"python": sys.version.split()[0], "roots": list(roots), "pid": os.getpid()})

    def write(self, row: dict[str, Any]) -> None:
        """One line, at once."""
        if self._file < 0:
            return
        data = (json.dumps(row, default=str) + "\n").encode()
        self._left -= len(data)
        try:
            whole = os.write(self._file, data) == len(data)
        except OSError:
            whole = False
        if not whole or self._left < 0:
            self.full = True
            self.close()

    def close(self) -> None:
        """Nothing is written any more."""
        file, self._file = self._file, -1
        if file >= 0:
            with contextlib.suppress(OSError):
                os.close(file)
