"""`graph` and `path`: who reaches whom, and how."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tracer.cli.console import Bars, Format, write, write_lines
from tracer.cli.questions import Form
from tracer.errors import UsageError


class GraphForm(StrEnum):
    """How edges are written."""

    jsonl = "jsonl"
    graphml = "graphml"
    dot = "dot"


class PathForm(StrEnum):
    """How a path is written."""

    text = "text"
    json = "json"
    mermaid = "mermaid"
    dot = "dot"
    svg = "svg"


With = Annotated[
    list[str] | None, typer.Option("--with", help="Another engine joined to the graph.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("graph")(graph)
    app.command("path")(path)
    app.command("discover")(discover)


def graph(
    spec: Annotated[str, typer.Argument(help="ENGINE[@VERSION]")],
    more: With = None,
    form: Annotated[GraphForm, typer.Option("--format", help="jsonl, graphml or dot.")] = GraphForm.jsonl,
) -> None:
    """Every edge of an engine: calls and crossings, with kind, basis and line; unresolved calls too."""
    from tracer import trace
    from tracer.render import graphs

    with Bars() as bars:
        edges = trace.graph([spec, *(more or [])], progress=bars)
        for text in graphs.write(edges, form.value):
            write(text)


def path(
    start: Annotated[str, typer.Argument(help="Where it starts: a symbol or a tail of one.")],
    end: Annotated[str, typer.Argument(help="Where it should arrive.")],
    spec: Annotated[str, typer.Argument(help="ENGINE[@VERSION]")],
    more: With = None,
    count: Annotated[int, typer.Option("-k", min=1, max=20, help="So many paths, best first.")] = 1,
    through: Annotated[list[str] | None, typer.Option(help="A symbol the path must pass.", show_default=False)] = None,
    form: Annotated[PathForm, typer.Option("--format", help="text, json, mermaid, dot or svg.")] = PathForm.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.", show_default=False)] = None,
) -> None:
    """How A reaches B, step by step, every crossing named; where it stops, if it stops."""
    from tracer import trace
    from tracer.render import diagram

    with Bars() as bars:
        found = trace.path(start, end, [spec, *(more or [])], count=count, through=through or (), progress=bars)
    if form is PathForm.json:
        from tracer.render.json import dumps, head

        text = dumps({**head("path", found.engines), "paths": [diagram.as_json(p) for p in found.paths]})
    else:
        text = diagram.render(found.paths, form.value)
    if out is not None:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {out} ({error.strerror})", todo="choose another --out") from error
    elif form is PathForm.text:
        write_lines(text.splitlines())
    else:
        write(text)
    if any(p.end != "complete" for p in found.paths):
        raise typer.Exit(3)


def discover(
    spec: Annotated[str, typer.Argument(help="A folder of code, or ENGINE[@VERSION].")],
    form: Form = Format.text,
) -> None:
    """Candidates for roles in code without rules: each with the shape of state that proposes it."""
    from tracer import trace

    with Bars() as bars:
        found = trace.discover(spec, progress=bars)
    if form is Format.json:
        from tracer.render import json as documents

        write(documents.dumps(documents.where([found], command="discover")))
    else:
        lines = (f"{s.role} {s.action}  {s.file}:{s.first}  {s.symbol}  ({s.why})" for s in found.sites)
        write_lines(lines)
    if not found.sites:
        raise typer.Exit(3)
