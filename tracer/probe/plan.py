"""What a selective recording watches: the functions and decisive lines of saved paths and sites."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tracer import atomic
from tracer.errors import TracerError, UsageError

HITS = 200  # of one place that are written one by one
MOST_LINES = 20  # of one site


def plan(traces: Iterable[dict[str, Any]], most: int = HITS) -> dict[str, Any]:
    """The plan for `traces` (documents of `path` and `where`), as the recorder reads it."""
    symbols: set[str] = set()
    lines: dict[str, set[int]] = {}
    for document in traces:
        for path in document.get("paths", ()):
            for step in path["steps"]:
                symbols.add(step["symbol"])
                if step.get("from_file"):
                    lines.setdefault(_local(step["from_file"]), set()).add(int(step["from_line"]))
        for site in document.get("sites", ()):
            symbols.add(site["symbol"])
            first, last = int(site["first"]), int(site["last"])
            lines.setdefault(_local(site["file"]), set()).update(range(first, min(last, first + MOST_LINES) + 1))
    if not symbols:
        raise UsageError("the trace has neither paths nor sites", todo="save `tracer path … --format json`")
    said = {file: sorted(numbers) for file, numbers in sorted(lines.items())}
    return {"symbols": sorted(symbols), "lines": said, "most": most}


def _local(file: str) -> str:
    """The file as it lies below its package: some repositories keep their packages in a folder of their own."""
    return file.removeprefix("python/").removeprefix("src/")


def write(document: dict[str, Any], folder: Path) -> Path:
    """Keep the plan beside the recordings; `UsageError` or `TracerError` if it cannot be."""
    file = folder / "plan.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        atomic.write(file, json.dumps(document, indent=1) + "\n")
    except OSError as error:
        kind = TracerError if atomic.is_room(error) else UsageError
        raise kind(f"cannot be written ({error.strerror})", where=str(file), todo="name another --out") from error
    return file.resolve()
