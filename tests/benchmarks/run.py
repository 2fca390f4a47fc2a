"""What the questions cost, beside their budgets and beside other tools on the same tree, measured in one run.

    python -m tests.benchmarks.run [--engine lmcache]… [--peers all] [--parts questions,diff,…] [--out F]

Every figure is one whole process from the shell, start-up included, on an empty temporary cache that holds a copy of
the engine's tree and nothing else; bringing the sources (`tracer fetch`) is not timed.  "first" is the first such
question after `where`, "again" the same once more.  Figures depend on the machine and on what else runs there, so the
load is printed, CPU seconds stand beside the wall's, and nothing asserts a time.
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

from tests.benchmarks import peers, scaling
from tests.benchmarks.measure import Run, floor_mb, measure
from tests.benchmarks.rows import Row, row, table

TRACER = (sys.executable, "-c", "from tracer.cli import main; main()")
QUESTION_S = 0.7
ALL_COLD_S = 60.0
LIMIT = 300.0
"""Seconds after which a question of the tracer's own is stopped: the other rows must not wait for it for ever."""
SLOW = 1200.0
"""The same for what reads two versions or writes a whole site."""
COLD = "where publish, cold"


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """What is measured for an engine: pins named here, so that a figure keeps its meaning when a newer pin arrives."""

    version: str
    state: str
    path: str
    pair: str
    second: str
    cold_s: float | None = None
    cold_mb: float | None = None


PLANS = {
    "lmcache": Plan("0.5.6", "LocalCPUBackend.hot_cache", "store", "protection", "0.4.7"),
    "mooncake": Plan("v0.3.12.post1", "MasterService::PutEnd", "store", "protection", "v0.3.10"),
    "sglang": Plan("0.5.23", "RadixCache.root_node", "store", "protection", "0.5.10.post1"),
    "vllm": Plan(
        "0.33.0", "BlockPool.cached_block_hash_to_block", "store", "protection", "0.25.1", cold_s=20.0, cold_mb=1500.0
    ),
}
PARTS = ("questions", "diff", "atlas", "scaling")


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


def _engine(engine: str, plan: Plan, cache: Path, parts: Sequence[str]) -> list[Row]:
    """The tracer's own rows for an engine, on the empty cache `cache`."""
    here = f"{engine} {plan.version}"
    source = _fetched(engine, plan.version)
    if source is None:
        return [Row(here, COLD, note="gap: the source cannot be fetched")]
    tree = cache / "trees" / engine / plan.version
    shutil.copytree(source, tree)
    env = {**os.environ, "TRACER_CACHE_DIR": str(cache)}
    spec = f"{engine}@{plan.version}"

    def ask(*question: str, limit: float = LIMIT) -> Run:
        return measure([*TRACER, *question], env=env, limit=limit)

    sizes = _sources(tree)
    size = f"{len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB"
    cold = ask("where", "publish", spec)
    rows = [
        row(here, COLD, cold, budget_s=plan.cold_s, budget_mb=plan.cold_mb, note=size),
        row(here, "where publish, again", ask("where", "publish", spec), budget_s=QUESTION_S),
    ]
    if "questions" in parts:
        rows.append(row(here, "uses", ask("uses", plan.state, spec), budget_s=QUESTION_S, note=plan.state))
        for what, question, budget in (
            (f"path {plan.path}", ("path", plan.path, spec), QUESTION_S),
            (f"pairs {plan.pair}", ("pairs", plan.pair, spec), None),
            ("graph (jsonl)", ("graph", spec, "--format", "jsonl"), None),
        ):
            rows.append(row(here, f"{what}, first", ask(*question)))
            rows.append(row(here, f"{what}, again", ask(*question), budget_s=budget))
    if not cold.code and parts and _second_tree(engine, plan, cache):
        rows.append(_second(engine, plan, cache, cold, sizes, env))
        if "diff" in parts:
            before = f"{engine}@{plan.second}"
            rows.append(row(here, f"diff from {plan.second}, first", ask("diff", before, spec, limit=SLOW)))
            rows.append(row(here, f"diff from {plan.second}, again", ask("diff", before, spec, limit=SLOW)))
    if "atlas" in parts:
        out = cache / "atlas"
        rows.append(row(here, "atlas", ask("atlas", spec, "--out", str(out), limit=SLOW)))
    return rows


def _second_tree(engine: str, plan: Plan, cache: Path) -> bool:
    """Put the second version beside the first; False where it cannot be had."""
    source = _fetched(engine, plan.second)
    if source is not None:
        shutil.copytree(source, cache / "trees" / engine / plan.second)
    return source is not None


def _second(engine: str, plan: Plan, cache: Path, cold: Run, sizes: dict[str, int], env: dict[str, str]) -> Row:
    """Another version after the first: it may cost the share of the first's time that its changed bytes are of it."""
    here, what = f"{engine} {plan.second}", f"where publish, after {plan.version}"
    tree = cache / "trees" / engine / plan.second
    changed = sum(size for key, size in _sources(tree).items() if key not in sizes) / sum(sizes.values())
    run = measure([*TRACER, "where", "publish", f"{engine}@{plan.second}"], env=env, limit=LIMIT)
    note = f"{run.wall / cold.wall:.0%} of the first's time; changed bytes are {changed:.0%} of the first's"
    return row(here, what, run, budget_s=changed * cold.wall, note=note)


def _peer(peer: str, home: Path, engine: str, plan: Plan, cache: Path, cold: Row | None) -> Row:
    here, what = f"{engine} {plan.version}", f"{peer}: {peers.PEERS[peer][0]}"
    tree = cache / "trees" / engine / plan.version
    if not tree.is_dir():
        return Row(here, what, note="gap: the source cannot be fetched")
    try:
        command = peers.command(peer, home, tree)
    except peers.Absent as error:
        return Row(here, what, note=f"gap: {error}")
    run = measure(command, limit=peers.LIMIT, cpu_limit=peers.CPU_LIMIT, cwd=tree)
    note = peers.version(command[0])
    if cold and cold.cpu and run.cpu:
        note = f"{note}; {run.cpu / cold.cpu:.2g} × the CPU of `{COLD}`".removeprefix("; ")
    return row(here, what, run, note=note)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.run", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--engine", action="append", choices=sorted(PLANS), help="may be repeated; all four without")
    parser.add_argument("--peers", default="", help=f"all, or of {','.join(peers.PEERS)}; installed when asked for")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"of {','.join(PARTS)}; all without")
    parser.add_argument("--out", type=Path, help="write the rows as JSON too")
    asked = parser.parse_args(argv)
    named = {*peers.PEERS} if asked.peers == "all" else {name for name in asked.peers.split(",") if name}
    if unknown := sorted(named - set(peers.PEERS)):
        parser.error(f"no peer {', '.join(unknown)}; known: {', '.join(peers.PEERS)}")
    asked.peers = [name for name in peers.PEERS if name in named]
    asked.parts = [name for name in asked.parts.split(",") if name]
    if strange := sorted({*asked.parts} - {*PARTS}):
        parser.error(f"no part {', '.join(strange)}; known: {', '.join(PARTS)}")
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
            found = _engine(engine, PLANS[engine], cache, asked.parts)
            cold = next((line for line in found if line.what == COLD), None)
            rows += found
            beside += [_peer(peer, home, engine, PLANS[engine], cache, cold) for peer in asked.peers]
        if "scaling" in asked.parts:
            rows += scaling.rows(engine, PLANS[engine].version, _fetched(engine, PLANS[engine].version))
    first = [line for line in rows if line.what == COLD]
    if asked.engine == sorted(PLANS) and all(line.wall is not None for line in first):
        peak = max(line.peak_mb or 0.0 for line in first)
        cpu = sum(line.cpu or 0.0 for line in first)
        wall = sum(line.wall or 0.0 for line in first)
        rows.append(Row("all four", COLD, wall, peak, ALL_COLD_S, cpu=cpu))
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
        kept = [{**dataclasses.asdict(line), "verdict": line.verdict} for line in (*rows, *beside)]
        text = json.dumps({"machine": machine, "rows": kept}, indent=1, ensure_ascii=False)
        asked.out.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
