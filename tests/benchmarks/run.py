"""What the questions cost, beside their budgets and beside other tools on the same tree, measured in one run.

    python -m tests.benchmarks.run [--engine lmcache]… [--peers ctags,ast-grep,pyan3,scip-python] [--out FILE.json]

Every figure is one whole process from the shell, start-up included, on an empty temporary cache that holds a copy of
the engine's tree and nothing else; bringing the sources (`tracer fetch`) is not timed.  Figures depend on the machine
and on what else runs there, so the load is printed, CPU seconds stand beside the wall's, and nothing asserts
a time.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from tests.benchmarks import peers
from tests.benchmarks.measure import Run, floor_mb, measure

TRACER = (sys.executable, "-c", "from tracer.cli import main; main()")
QUESTION_S = 0.7
ALL_COLD_S = 60.0
LIMIT = 300.0
"""Seconds after which a question of the tracer's own is stopped: the other rows must not wait for it for ever."""


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """What is measured for an engine: pins named here, so that a figure keeps its meaning when a newer pin arrives."""

    version: str
    state: str
    second: str = ""
    cold_s: float | None = None
    cold_mb: float | None = None


PLANS = {
    "lmcache": Plan("0.5.6", "LocalCPUBackend.hot_cache"),
    "mooncake": Plan("v0.3.12.post1", "MasterService::PutEnd"),
    "sglang": Plan("0.5.23", "RadixCache.root_node"),
    "vllm": Plan("0.33.0", "BlockPool.cached_block_hash_to_block", second="0.25.1", cold_s=20.0, cold_mb=1500.0),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; a figure or a budget that does not exist is None."""

    tree: str
    what: str
    wall: float | None = None
    peak_mb: float | None = None
    budget_s: float | None = None
    budget_mb: float | None = None
    note: str = ""
    cpu: float | None = None

    @property
    def verdict(self) -> str:
        """`within` or `over` the budget; empty without a budget or a figure."""
        pairs = [
            (figure, budget)
            for figure, budget in ((self.wall, self.budget_s), (self.peak_mb, self.budget_mb))
            if figure is not None and budget is not None
        ]
        if not pairs:
            return ""
        return "over" if any(figure > budget for figure, budget in pairs) else "within"


def table(rows: Sequence[Row]) -> str:
    """The rows as text, in the order given."""
    head = ("tree", "what", "wall s", "CPU s", "peak MB", "budget", "", "remark")
    lines = [head]
    for row in rows:
        budget = ", ".join(
            text
            for value, text in (
                (row.budget_s, f"≤ {_short(row.budget_s)} s"),
                (row.budget_mb, f"≤ {_short(row.budget_mb)} MB"),
            )
            if value is not None
        )
        wall = "—" if row.wall is None else f"{row.wall:.2f}"
        cpu = "—" if row.cpu is None else f"{row.cpu:.2f}"
        peak = "—" if row.peak_mb is None else f"{row.peak_mb:.0f}"
        lines.append((row.tree, row.what, wall, cpu, peak, budget or "—", row.verdict, row.note))
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if at in (2, 3, 4) else text.ljust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _row(tree: str, what: str, run: Run, *, budget_s: float | None = None, budget_mb: float | None = None,
         limit: float = LIMIT, note: str = "") -> Row:  # fmt: skip
    print(f"{tree}  {what}: {run.wall:.1f} s", file=sys.stderr, flush=True)  # a long run shows that it goes on
    if run.stopped:
        note = f"stopped after {_short(limit)} s"
    elif run.code:
        note = f"failed ({run.code}): {run.complaint[:100]}"
        if run.code == 127:
            return Row(tree, what, note=note)
    return Row(tree, what, run.wall, run.peak_mb, budget_s, budget_mb, note, run.cpu)


def _fetched(engine: str, version: str) -> Path | None:
    """The tree in the user's cache; fetched, untimed, if it is not there yet."""
    cache = Path(os.environ.get("TRACER_CACHE_DIR") or platformdirs.user_cache_dir("tracer")).expanduser().absolute()
    tree = cache / "trees" / engine / version
    if not tree.is_dir():
        subprocess.run([*TRACER, "fetch", f"{engine}@{version}"], check=False, stdout=subprocess.DEVNULL)
    return tree if tree.is_dir() else None


def _sources(tree: Path) -> dict[str, int]:
    """Path and content of each file -> its size: what a second version may share with the first."""
    found = {}
    for path in sorted(tree.rglob("*")):
        if path.is_file() and path.parent != tree:  # the tree's own manifest lies at its root
            data = path.read_bytes()
            found[f"{path.relative_to(tree).as_posix()}:{hashlib.sha256(data).hexdigest()}"] = len(data)
    return found


def _engine(engine: str, plan: Plan, cache: Path) -> list[Row]:
    """The tracer's own rows for an engine, on the empty cache `cache`."""
    here = f"{engine} {plan.version}"
    source = _fetched(engine, plan.version)
    if source is None:
        return [Row(here, "where publish, cold", note="gap: the source cannot be fetched")]
    tree = cache / "trees" / engine / plan.version
    shutil.copytree(source, tree)
    env = {**os.environ, "TRACER_CACHE_DIR": str(cache)}
    spec = f"{engine}@{plan.version}"

    def ask(*question: str) -> Run:
        return measure([*TRACER, *question], env=env, limit=LIMIT)

    sizes = _sources(tree)
    size = f"{len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB"
    cold = ask("where", "publish", spec)
    rows = [
        _row(here, "where publish, cold", cold, budget_s=plan.cold_s, budget_mb=plan.cold_mb, note=size),
        _row(here, "where publish, warm", ask("where", "publish", spec), budget_s=QUESTION_S),
        _row(here, "uses, warm", ask("uses", plan.state, spec), budget_s=QUESTION_S, note=plan.state),
        _row(here, "graph (jsonl), warm", ask("graph", spec, "--format", "jsonl")),
    ]
    if plan.second and not cold.code:
        rows.append(_second(engine, plan, cache, cold, sizes, env))
    return rows


def _second(engine: str, plan: Plan, cache: Path, cold: Run, sizes: dict[str, int], env: dict[str, str]) -> Row:
    """Another version after the first: it may cost the share of the first's time that its changed bytes are of it."""
    here, what = f"{engine} {plan.second}", f"where publish, after {plan.version}"
    source = _fetched(engine, plan.second)
    if source is None:
        return Row(here, what, note="gap: the source cannot be fetched")
    tree = cache / "trees" / engine / plan.second
    shutil.copytree(source, tree)
    changed = sum(size for key, size in _sources(tree).items() if key not in sizes) / sum(sizes.values())
    run = measure([*TRACER, "where", "publish", f"{engine}@{plan.second}"], env=env, limit=LIMIT)
    note = f"{run.wall / cold.wall:.0%} of the first's time; changed bytes are {changed:.0%} of the first's"
    return _row(here, what, run, budget_s=changed * cold.wall, note=note)


def _peer(peer: str, home: Path, engine: str, plan: Plan, cache: Path) -> Row:
    here, what = f"{engine} {plan.version}", f"{peer}: {peers.PEERS[peer][0]}"
    tree = cache / "trees" / engine / plan.version
    if not tree.is_dir():
        return Row(here, what, note="gap: the source cannot be fetched")
    try:
        command = peers.command(peer, home, tree)
    except peers.Absent as error:
        return Row(here, what, note=f"gap: {error}")
    run = measure(command, limit=peers.LIMIT, cwd=tree)
    return _row(here, what, run, limit=peers.LIMIT, note=peers.version(command[0]))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.run", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--engine", action="append", choices=sorted(PLANS), help="may be repeated; all four without")
    parser.add_argument("--peers", default="", help=f"of {','.join(peers.PEERS)}; installed when asked for")
    parser.add_argument("--out", type=Path, help="write the rows as JSON too")
    asked = parser.parse_args(argv)
    named = {name for name in asked.peers.split(",") if name}
    if unknown := sorted(named - set(peers.PEERS)):
        parser.error(f"no peer {', '.join(unknown)}; known: {', '.join(peers.PEERS)}")
    asked.peers = [name for name in peers.PEERS if name in named]
    asked.engine = sorted(set(asked.engine or PLANS))
    return asked


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, write the JSON if asked."""
    asked = _arguments(argv)
    home = Path(platformdirs.user_cache_dir("tracer-benchmark-peers"))
    load_before = os.getloadavg()
    rows: list[Row] = []
    beside: list[Row] = []
    for engine in asked.engine:
        with tempfile.TemporaryDirectory(prefix="tracer-bench-") as folder:
            cache = Path(folder)
            rows += _engine(engine, PLANS[engine], cache)
            beside += [_peer(peer, home, engine, PLANS[engine], cache) for peer in asked.peers]
    cold = [row for row in rows if row.what == "where publish, cold"]
    if asked.engine == sorted(PLANS) and all(row.wall is not None for row in cold):
        peak = max(row.peak_mb or 0.0 for row in cold)
        cpu = sum(row.cpu or 0.0 for row in cold)
        wall = sum(row.wall or 0.0 for row in cold)
        rows.append(Row("all four", "where publish, cold", wall, peak, ALL_COLD_S, cpu=cpu))
    machine = {
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": [round(load, 2) for load in load_before],
        "load_after": [round(load, 2) for load in os.getloadavg()],
        "floor_mb": round(floor_mb(), 1),
    }
    print(table([*rows, *beside]))
    print(
        f"\n{machine['cpus']} CPUs, Python {machine['python']}, {machine['system']}; load (1, 5, 15 min) before "
        f"{machine['load_before']}, after {machine['load_after']}.\nPeak: the largest process of a command, in 10^6 "
        f"bytes; nothing below {machine['floor_mb']} MB can be seen from here."
    )
    if asked.out:
        kept = [{**dataclasses.asdict(row), "verdict": row.verdict} for row in (*rows, *beside)]
        text = json.dumps({"machine": machine, "rows": kept}, indent=1, ensure_ascii=False)
        asked.out.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
