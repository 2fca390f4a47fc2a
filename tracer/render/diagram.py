"""A path as text, JSON steps, Mermaid, DOT or SVG. Steps are grouped by file; crossings are drawn apart."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import graphviz

from tracer.errors import UsageError
from tracer.model import Path, Step

CROSSING = frozenset({"thread", "async", "process", "rpc", "binding", "device", "state", "callback"})
COLOURS = {
    "thread": "#b45309", "async": "#0369a1", "process": "#be123c", "rpc": "#be123c", "binding": "#6d28d9",
    "device": "#15803d", "state": "#525252", "callback": "#a16207", "dynamic": "#1d4ed8", "call": "#171717",
}  # fmt: skip


def as_json(path: Path) -> dict[str, Any]:
    """One path of the machine-readable contract."""
    keys = ("symbol", "file", "def_line", "edge", "from_file", "from_line", "basis")
    steps = [{k: getattr(s, k) for k in keys} for s in path.steps]
    return {"name": path.name, "title": path.title, "steps": steps, "end": path.end}


def render(paths: Sequence[Path], form: str) -> str:
    """The text of `paths` in `form` (text, mermaid, dot, svg)."""
    if form == "text":
        return "\n".join(_text(p) for p in paths)
    if form == "mermaid":
        return "\n".join(_mermaid(p) for p in paths)
    source = _dot(paths[0])
    return source.source if form == "dot" else _svg(source)


def _text(path: Path) -> str:
    lines = [path.title]
    for number, s in enumerate(path.steps, 1):
        if s.edge:
            mark = "══" if s.edge in CROSSING else "──"
            lines.append(f"     {mark} {s.edge} [{s.basis}] at {s.from_file}:{s.from_line}")
        lines.append(f"{number:3}. {s.symbol}  {s.file}:{s.def_line}")
    lines.append(f"end: {path.end}")
    return "\n".join(lines) + "\n"


def _mermaid(path: Path) -> str:
    lines = ["flowchart TD"]
    for k, s in enumerate(path.steps):
        lines.append(f'  n{k}["{_entity(short(s.symbol))}<br/>{_entity(place(s))}"]')
    for k, s in enumerate(path.steps[1:], 1):
        arrow = "==>" if s.edge in CROSSING else "-->"
        lines.append(f'  n{k - 1} {arrow}|"{s.edge}"| n{k}')
    return "\n".join(lines) + "\n"


def _dot(path: Path) -> graphviz.Digraph:
    dot = graphviz.Digraph("path", graph_attr={"rankdir": "TB", "fontname": "Helvetica", "compound": "true"})
    dot.attr("node", shape="box", style="rounded,filled", fillcolor="#fafafa", fontname="Helvetica", fontsize="11")
    dot.attr("edge", fontname="Helvetica", fontsize="10")
    groups: dict[str, list[int]] = {}
    for k, s in enumerate(path.steps):
        groups.setdefault(s.file, []).append(k)
    for number, (file, members) in enumerate(groups.items()):
        with dot.subgraph(name=f"cluster_{number}") as box:
            box.attr(label=graphviz.escape(file), color="#d4d4d4", fontsize="10")
            for k in members:
                s = path.steps[k]
                box.node(f"n{k}", graphviz.escape(f"{k + 1}. {short(s.symbol)}\n{place(s)}"))
    for k, s in enumerate(path.steps[1:], 1):
        crossing = s.edge in CROSSING
        colour = COLOURS.get(s.edge, "#171717")
        label = graphviz.escape(f"{s.edge} {s.from_file.rsplit('/', 1)[-1]}:{s.from_line}")
        dot.edge(f"n{k - 1}", f"n{k}", label=label, color=colour, style="bold,dashed" if crossing else "solid")
    return dot


def _svg(dot: graphviz.Digraph) -> str:
    if shutil.which("dot") is None:
        raise UsageError("no `dot` program to draw with", todo="install graphviz, or use --format dot or mermaid")
    drawn: str = dot.pipe(format="svg", encoding="utf-8")
    return drawn


def short(symbol: str) -> str:
    """The last two parts of a symbol."""
    sep = "::" if "::" in symbol else "."
    return sep.join(symbol.split(sep)[-2:])


def place(step: Step) -> str:
    """`file.py:line` without folders."""
    return f"{step.file.rsplit('/', 1)[-1]}:{step.def_line}"


def _entity(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
