"""Rows for the recording out of what a master says of itself: its log and its counters. Standard library only."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from typing import Any

LONGEST = 160  # characters of a message that are kept
MOST = 30  # rows of one place

# I1130 00:34:33.705494 17341 allocator.cpp:261] text
_LINE = re.compile(r"^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6})\s+(\d+) ([\w.+-]+):(\d+)\] (.*)$")
_SAMPLE = re.compile(r"^([A-Za-z_:][\w:]*)(\{[^}]*\})?\s+([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?:\d+)?$")


def log_rows(lines: Iterable[str], *, year: int, offset: float) -> Iterator[dict[str, Any]]:
    """A row for each line of a glog file: file, line, thread, message; time on the monotonic clock.

    `offset` is wall clock less monotonic clock in seconds. Of one place no more than `MOST` rows are kept.
    """
    counts: dict[tuple[str, int, str], int] = {}
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        level, month, day, hour, minute, second, micro, thread, file, number, text = match.groups()
        place = (file, int(number), text.split(" ", 1)[0])
        counts[place] = counts.get(place, 0) + 1
        if counts[place] > MOST:
            continue
        wall = time.mktime((year, int(month), int(day), int(hour), int(minute), int(second), 0, 0, -1))
        yield {
            "log": file, "line": int(number), "level": level, "text": text[:LONGEST], "thread": int(thread),
            "t": int((wall - offset) * 1e9) + int(micro) * 1000,
        }  # fmt: skip


def samples(text: str) -> dict[str, float]:
    """The samples of a page of metrics in Prometheus' text form; labels stay part of the name."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        match = _SAMPLE.match(line.strip())
        if match is not None:
            found[match[1] + (match[2] or "")] = float(match[3])
    return found


def moved(before: dict[str, float], after: dict[str, float]) -> dict[str, tuple[float, float]]:
    """The samples that differ, with both values; a new one counts from nothing."""
    return {
        name: (before.get(name, 0.0), value) for name, value in sorted(after.items()) if value != before.get(name, 0.0)
    }
