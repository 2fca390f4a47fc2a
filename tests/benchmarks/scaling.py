"""How the cost grows: the same tree once, twice and four times side by side, as one body of code, on an empty cache.

The copies differ in one line a file, so that the cache by content spares nothing, and lie in folders of their own, so
that their classes are as many as they would be in as many engines.  What is timed is `discover`: survey, link and the
generic rules over all of it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measure import measure
from tests.benchmarks.rows import Row, row

TIMES = (1, 2, 4)
LIMIT = 900.0
TRACER = (sys.executable, "-c", "from tracer.cli import main; main()")
SUFFIXES = {".py": "# copy {}\n", ".cpp": "// copy {}\n", ".h": "// copy {}\n", ".hpp": "// copy {}\n"}


def rows(engine: str, version: str, source: Path | None) -> list[Row]:
    """One row for each of TIMES; the remark is the time for a megabyte, which stays where the cost is linear."""
    here = f"{engine} {version}"
    if source is None:
        return [Row(here, "discover, side by side", note="gap: the source cannot be fetched")]
    found = []
    for times in TIMES:
        with tempfile.TemporaryDirectory(prefix="tracer-bench-") as folder:
            size = beside(source, Path(folder) / "code", times)
            env = {**os.environ, "TRACER_CACHE_DIR": str(Path(folder) / "cache")}
            run = measure([*TRACER, "discover", str(Path(folder) / "code"), "--limit", "1"], env=env, limit=LIMIT)
        rate = f"{size / 1e6:.1f} MB, {run.cpu / (size / 1e6):.2f} CPU s for each"
        found.append(row(here, f"discover, {times} × the tree", run, note=rate))
        if run.stopped:
            break
    return found


def beside(source: Path, place: Path, times: int) -> int:
    """Write the tree `times` times into `place`, every copy with other content; gives the bytes written."""
    size = 0
    for number in range(1, times + 1):
        for file in sorted(source.rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            target = place / f"copy{number}" / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
            with target.open("a", encoding="utf-8") as out:
                out.write("\n" + SUFFIXES[file.suffix].format(number))
            size += target.stat().st_size
    return size
