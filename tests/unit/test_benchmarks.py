"""The benchmark's own instruments: what a command took, where it is stopped, and how the table reads."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.benchmarks import peers, run, scaling
from tests.benchmarks.measure import Run, floor_mb, measure
from tests.benchmarks.rows import Row, row, table


def _python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def test_a_sleeping_childs_wall_time_is_seen() -> None:
    seen = measure(_python("import time; time.sleep(0.4)"))
    assert seen.code == 0
    assert 0.4 <= seen.wall < 300
    assert seen.cpu < seen.wall


def test_what_a_child_allocates_is_seen_as_its_peak_even_if_it_gives_it_back() -> None:
    more = 200_000_000 + int(floor_mb() * 1e6)  # above what this test process itself would show
    seen = measure(_python(f"x = b'x' * {more}; del x; y = b'y'"))
    assert more / 1e6 <= seen.peak_mb < more / 1e6 + 200


def test_the_peak_of_a_childs_own_child_counts() -> None:
    more = 200_000_000 + int(floor_mb() * 1e6)
    inner = f"x = b'x' * {more}"
    seen = measure(_python(f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {inner!r}])"))
    assert seen.peak_mb >= more / 1e6


def test_the_time_limit_ends_a_command_and_its_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    seen = measure(["sh", "-c", f"sleep 600 & echo $! > {note}; wait"], limit=0.5)
    assert seen.stopped
    assert 0.5 <= seen.wall < 300
    grandchild = int(note.read_text())
    deadline = time.monotonic() + 60
    while _runs(grandchild) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(grandchild)


def _runs(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            return stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_limit_on_cpu_seconds_ends_what_computes_and_not_what_waits() -> None:
    seen = measure(_python("while True: pass"), limit=60, cpu_limit=1)
    assert seen.stopped
    assert 0.9 < seen.cpu < 3
    assert not measure(["sleep", "1.2"], limit=60, cpu_limit=1).stopped


def test_a_stopped_run_says_so_and_keeps_its_remark() -> None:
    seen = Run(61.2, 60.0, 100.0, None)
    assert row("a 1", "peer", seen, note="1.2 × the CPU").note == "stopped after 61 s; 1.2 × the CPU"


def test_a_command_that_ends_within_its_limit_is_not_stopped() -> None:
    seen = measure(_python("import sys; sys.exit('no such thing')"), limit=60)
    assert not seen.stopped
    assert (seen.code, seen.complaint) == (1, "no such thing")


def test_a_command_that_another_signal_ends_is_a_failure_not_a_stop() -> None:
    assert measure(["sh", "-c", "kill -KILL $$"], limit=60).code == -9


def test_a_command_that_does_not_exist_is_said_not_raised() -> None:
    seen = measure(["no-such-command-here"])
    assert seen.code == 127
    assert "no-such-command-here" in seen.complaint


def test_the_table_puts_each_budget_beside_its_figure_and_judges_it() -> None:
    text = table(
        [
            Row("a 1", "cold", 20.5, 900, budget_s=20, budget_mb=1500),
            Row("a 1", "cold", 19.5, 1600, budget_s=20, budget_mb=1500),
            Row("a 1", "warm", 0.7, 90, budget_s=0.7, cpu=0.5),
            Row("a 1", "graph", 3.0, 90),
            Row("a 1", "peer", note="gap: npm is absent"),
        ]
    ).splitlines()
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in text]
    assert cells[0] == ["tree", "what", "wall s", "CPU s", "peak MB", "budget", "remark"]
    assert cells[1] == ["a 1", "cold", "20.50", "—", "900", "≤ 20 s, ≤ 1500 MB", "over"]
    assert cells[2][-1] == "over"
    assert cells[3] == ["a 1", "warm", "0.70", "0.50", "90", "≤ 0.7 s", "within"]
    assert cells[4] == ["a 1", "graph", "3.00", "—", "90", "—"]
    assert cells[5] == ["a 1", "peer", "—", "—", "—", "—", "gap: npm is absent"]


def test_a_failed_run_has_no_remark_but_its_failure() -> None:
    seen = measure(_python("import sys; sys.exit('broken')"))
    assert row("a 1", "cold", seen, budget_s=60, note="3 files").note == "failed (1): broken"


def test_a_peer_that_cannot_be_installed_is_a_named_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trees" / "lmcache" / run.PLANS["lmcache"].version).mkdir(parents=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    line = run._peer("scip-python", tmp_path / "peers", "lmcache", run.PLANS["lmcache"], tmp_path, None)
    assert line.wall is None
    assert line.note.startswith("gap: ")
    assert "npm" in line.note


def test_an_unknown_peer_is_refused_and_the_order_is_the_tables_not_the_callers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run._arguments(["--peers", "scip-python,ctags"]).peers == ["ctags", "scip-python"]
    with pytest.raises(SystemExit):
        run._arguments(["--peers", "ctags,nothing"])
    assert "no peer nothing" in capsys.readouterr().err
    assert run._arguments(["--peers", "all", "--parts", "diff"]).peers == list(peers.PEERS)
    with pytest.raises(SystemExit):
        run._arguments(["--parts", "diff,dif"])
    assert "no part dif" in capsys.readouterr().err
    assert list(peers.PEERS) == ["ctags", "ast-grep", "pyan3", "code2flow", "pycg", "scip-python"]


def test_copies_side_by_side_share_no_content_so_that_a_cache_by_content_spares_nothing(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "pkg").mkdir(parents=True)
    (source / "pkg" / "a.py").write_text("x = 1\n")
    (source / "pkg" / "b.h").write_text("int x;\n")
    (source / "notes.txt").write_text("no source")
    size = scaling.beside(source, tmp_path / "code", 2)
    files = sorted((tmp_path / "code").rglob("*.*"))
    assert [f.relative_to(tmp_path / "code").as_posix() for f in files] == [
        "copy1/pkg/a.py", "copy1/pkg/b.h", "copy2/pkg/a.py", "copy2/pkg/b.h"
    ]  # fmt: skip
    assert len({f.read_bytes() for f in files}) == 4
    assert files[0].read_text() == "x = 1\n\n# copy 1\n"
    assert size == sum(f.stat().st_size for f in files)
