"""A path as text and as the steps of the machine-readable contract; no drawing library is needed for either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tracer.model import EngineRevision, Path, Step
from tracer.render.grouping import revision_text, version_text

CROSSING = frozenset({"thread", "async", "process", "rpc", "binding", "device", "state", "callback"})
LANES = frozenset({"thread", "process", "rpc", "async"})  # what starts another line of control


def as_json(path: Path) -> dict[str, Any]:
    """One path of the machine-readable contract."""
    keys = ("symbol", "file", "def_line", "edge", "from_file", "from_line", "basis", "engine")
    steps = []
    for s in path.steps:
        row = {k: getattr(s, k) for k in keys}
        more = {"waypoint": s.mark, "others": s.others}
        steps.append(row | {k: v for k, v in more.items() if v})
    return {"name": path.name, "title": path.title, "steps": steps, "end": path.end}


def text(paths: Sequence[Path], engines: Sequence[EngineRevision] = ()) -> str:
    """The paths step by step: what was crossed, where, how sure; then the function that is reached, and of what."""
    told = "\n".join("\n".join(_lines(p)) + "\n" for p in paths)
    return f"{told}{read_from(engines)}\n" if engines else told


def read_from(engines: Iterable[EngineRevision]) -> str:
    """`read from lmcache 0.5.6 (archive v0.5.6), mooncake …`: a place says nothing without its revision."""
    return "read from " + ", ".join(f"{e.name} {version_text(e.version)} ({revision_text(e)})" for e in engines)


def _lines(path: Path) -> Iterator[str]:
    yield f"{path.title}  ({path.name})" if path.name != "path" else path.title
    several = len({s.engine for s in path.steps}) > 1
    engine = ""
    for number, s in enumerate(path.steps, 1):
        if s.edge:
            mark = "══" if s.edge in CROSSING else "──"
            others = f", {s.others} other implementations" if s.others > 1 else ", 1 other implementation"
            yield (
                f"     {mark} {s.edge} [{s.basis}] at {s.from_file}:{s.from_line}" + (others if s.others else "")
            )
        if several and s.engine != engine:
            engine = s.engine
            yield f"   · {engine} ·"
        yield f"{number:3}. {s.symbol}  {s.file}:{s.def_line}"
        if s.mark:
            yield f"       ▸ {s.mark}"
    crossed = sum(1 for s in path.steps if s.edge in CROSSING)
    yield f"end: {path.end}  ({len(path.steps)} steps, {crossed} crossings)"


def lanes(path: Path) -> list[tuple[str, list[int]]]:
    """The steps by line of control: a new lane where a thread, task, process or engine is entered; label and steps."""
    out: list[tuple[str, list[int]]] = []
    before: Step | None = None
    for k, s in enumerate(path.steps):
        if before is None:
            out.append((s.engine, [k]))
        elif s.edge in LANES:
            out.append((f"{s.engine} · {s.edge}" if s.engine else s.edge, [k]))
        elif s.engine != before.engine:
            out.append((s.engine, [k]))
        else:
            out[-1][1].append(k)
        before = s
    return out


def short(symbol: str) -> str:
    """The last two parts of a symbol."""
    sep = "::" if "::" in symbol else "."
    return sep.join(symbol.split(sep)[-2:])


def place(step: Step) -> str:
    """`file.py:line` without folders."""
    return f"{step.file.rsplit('/', 1)[-1]}:{step.def_line}"
