"""A path as Mermaid, DOT or SVG: one lane per line of control, crossings drawn by their kind, every step with its line.

SVG is drawn by the system's `dot` where there is one, else by the Graphviz that comes from PyPI with `graphviz-pure`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence

import graphviz

from tracer.errors import UsageError
from tracer.model import EngineRevision, Path
from tracer.render.steps import CROSSING, lanes, place, read_from, short
from tracer.visible import visible

FONT = "Helvetica"  # laid out by its metrics, which every Graphviz has
# What an SVG asks its viewer for: the first font there that has the character, Chinese ones included.
FONTS = "Helvetica,Arial,Noto Sans CJK SC,PingFang SC,Microsoft YaHei,sans-serif"
COLOURS = {
    "thread": "#b45309", "async": "#0369a1", "process": "#be123c", "rpc": "#be123c", "binding": "#6d28d9",
    "device": "#15803d", "state": "#525252", "callback": "#a16207", "dynamic": "#1d4ed8", "call": "#171717",
}  # fmt: skip
STYLES = {
    "thread": "bold,dashed", "async": "dashed", "process": "bold", "rpc": "bold", "binding": "bold,dotted",
    "device": "bold,dotted", "state": "dotted", "callback": "dashed",
}  # fmt: skip
ENGINES = {"vllm": "#eff6ff", "sglang": "#f0fdf4", "lmcache": "#fefce8", "mooncake": "#fdf2f8"}
HEADS = {"process": "normalnormal", "rpc": "normalnormal", "binding": "diamond", "device": "dot", "state": "vee"}


def render(paths: Sequence[Path], form: str, engines: Sequence[EngineRevision] = ()) -> str:
    """The text of `paths` in `form` (mermaid, dot, svg); several become one drawing each, an SVG has the first."""
    read = read_from(engines) if engines else ""
    if form == "mermaid":
        return "\n".join(_mermaid(p, read) for p in paths)
    if form == "dot":
        return "\n".join(_dot(p, read).source for p in paths)
    return _svg(_dot(paths[0], read))


def _mermaid(path: Path, read: str) -> str:
    lines = ["flowchart TD", *([f"  %% {read}"] if read else [])]
    for number, (label, members) in enumerate(lanes(path)):
        lines.append(f'  subgraph lane{number}["{_entity(label or short(path.steps[members[0]].symbol))}"]')
        for k in members:
            s = path.steps[k]
            lines.append(f'    n{k}["{k + 1}. {_entity(short(s.symbol))}<br/>{_entity(place(s))}"]')
        lines.append("  end")
    for k, s in enumerate(path.steps[1:], 1):
        arrow = {"state": "-.->", "device": "-.->"}.get(s.edge, "==>" if s.edge in CROSSING else "-->")
        lines.append(f'  n{k - 1} {arrow}|"{_entity(s.edge)} {_entity(_from(path, k))}"| n{k}')
    for k, s in enumerate(path.steps[1:]):
        if s.edge in CROSSING:
            lines.append(f"  linkStyle {k} stroke:{COLOURS[s.edge]}")
    if path.end != "complete":
        last = len(path.steps) - 1
        lines += [f'  stop["{_entity(path.end)}"]', f"  n{last} -.-x stop"] if path.steps else []
    return "\n".join(lines) + "\n"


def _dot(path: Path, read: str) -> graphviz.Digraph:
    attributes = {"rankdir": "TB", "fontname": FONT, "compound": "true", "charset": "UTF-8", "newrank": "true"}
    dot = graphviz.Digraph("path", graph_attr=attributes, comment=" ".join(path.title.split()))
    dot.attr(label=_label(path.title, *([read] if read else [])), labelloc="t")
    dot.attr("node", shape="box", style="rounded,filled", fillcolor="#ffffff", fontname=FONT, fontsize="11")
    dot.attr("edge", fontname=FONT, fontsize="10")
    for number, (label, members) in enumerate(lanes(path)):
        with dot.subgraph(name=f"cluster_{number}") as box:
            engine = path.steps[members[0]].engine
            box.attr(label=_label(label), labeljust="l", color="#d4d4d4", fontsize="10", style="filled")
            box.attr(fillcolor=ENGINES.get(engine, "#fafafa"))
            for k in members:
                s = path.steps[k]
                of = {"class": s.engine} if s.engine else {}  # an SVG has no other trace of the lane
                box.node(f"n{k}", _label(f"{k + 1}. {short(s.symbol)}", place(s)), **of)
    for k, s in enumerate(path.steps[1:], 1):
        colour = COLOURS.get(s.edge, "#171717")
        label = _label(f"{s.edge}  {_from(path, k)}")
        head, style = HEADS.get(s.edge, "normal"), STYLES.get(s.edge, "solid")
        dot.edge(f"n{k - 1}", f"n{k}", label=label, color=colour, fontcolor=colour, style=style, arrowhead=head)
    if path.end != "complete" and path.steps:
        dot.node("stop", _label(path.end), shape="note", fillcolor="#fee2e2")
        dot.edge(f"n{len(path.steps) - 1}", "stop", style="dotted", arrowhead="tee")
    return dot


def _from(path: Path, k: int) -> str:
    s = path.steps[k]
    return f"{s.from_file.rsplit('/', 1)[-1]}:{s.from_line}"


def _svg(dot: graphviz.Digraph) -> str:
    program = drawer()
    if program is None:
        raise UsageError("no Graphviz to draw with", todo="pip install graphviz-pure, or use --format dot or mermaid")
    source = str(dot.source).encode()
    ran = subprocess.run([program, "-Tsvg"], input=source, capture_output=True, timeout=120, check=False)
    if ran.returncode:
        reason = ran.stderr.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        raise UsageError(f"{program} cannot draw this ({reason or ran.returncode})", todo="use --format dot")
    drawn: str = ran.stdout.decode("utf-8")
    return re.sub(r'font-family="[^"]*"', f'font-family="{FONTS}"', drawn)


def drawer() -> str | None:
    """A Graphviz that lays out DOT from stdin: the system's, else the one installed beside this program."""
    beside = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    return shutil.which("dot") or shutil.which("graphviz-pure", path=beside)


def _label(*lines: str) -> str:
    text: str = graphviz.escape("\n".join(visible(line) for line in lines))
    return text


def _entity(text: str) -> str:
    """A text for a quoted label: nothing in it ends the label or its line, or begins a directive."""
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("%%", "%&#37;")
