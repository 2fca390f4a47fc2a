"""`graph`, `path` and `paths`: who reaches whom, and how."""

from __future__ import annotations

import itertools
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.console import Bars, Format, document_text, folders, note, write, write_document, write_lines
from tracer.cli.questions import Form, Rules
from tracer.errors import TracerError, UsageError

if TYPE_CHECKING:
    from tracer.model import Edge


class GraphForm(StrEnum):
    """How edges are written."""

    jsonl = "jsonl"
    graphml = "graphml"
    dot = "dot"
    adjacency = "adjacency"


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
Stack = Annotated[str | None, typer.Option(help="A stack of engines that run together.", show_default=False)]
Choose = Annotated[
    list[str] | None,
    typer.Option(help="KEY=VALUE: stack=NAME, or INTERFACE=CLASS to take at a fan-out.", show_default=False),
]
Out = Annotated[Path | None, typer.Option(help="Write to this file.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("graph")(graph)
    app.command("path")(path)
    app.command("paths")(paths)
    app.command("discover")(discover)


def graph(
    spec: Annotated[str | None, typer.Argument(help="ENGINE\\[@VERSION]", show_default=False)] = None,
    more: With = None,
    form: Annotated[
        GraphForm, typer.Option("--format", help="jsonl, graphml or dot; adjacency with --root.")
    ] = GraphForm.jsonl,
    root: Annotated[Path | None, typer.Option(help="A Python program's folder.", show_default=False)] = None,
    entry: Annotated[Path | None, typer.Option(help="The program's first file.", show_default=False)] = None,
    observed: Annotated[
        Path | None,
        typer.Option(help="Join the edges that `probe confirm --observed` kept.", show_default=False),
    ] = None,
) -> None:
    """Every edge of an engine: calls and crossings, with kind, basis and line; unresolved calls too.

    With --root and --entry: whom each function of that Python program calls, function values followed.
    """
    from tracer.render import graphs

    if root is not None or entry is not None or form is GraphForm.adjacency:
        _program(spec, root, entry, form)
        return
    if spec is None:
        raise UsageError("names no engine", where="graph", todo="give ENGINE[@VERSION], or --root DIR --entry FILE")
    import tracer.trace as pipeline

    seen: list[Edge] = []
    if observed is not None:
        from tracer.probe import feed

        seen = feed.read(observed)
    with Bars() as bars:
        edges = pipeline.graph([spec, *(more or [])], progress=bars)
        for text in graphs.write(itertools.chain(edges, seen), form.value):
            write(text)


def _program(spec: str | None, root: Path | None, entry: Path | None, form: GraphForm) -> None:
    """The call graph of a program in a folder."""
    if root is None or entry is None:
        raise UsageError("a program's graph needs both --root and --entry", todo="add --root DIR and --entry FILE")
    if spec is not None:
        raise UsageError(f"{spec!r} does not go with --root", todo="leave out the engine, or --root and --entry")
    if form is not GraphForm.adjacency:
        raise UsageError(f"a program's graph has no format {form.value}", todo="add --format adjacency")
    from tracer.graph.values.flow import adjacency
    from tracer.render import graphs

    callees, unread = adjacency(root, entry)
    for reason in unread.values():
        note(reason)
    write(graphs.adjacency(callees))


def path(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME ENGINE… | A B ENGINE…",
            help="A named path (`tracer paths` lists them), or two symbols, FILE:LINE places or rule ids.",
        ),
    ],
    more: With = None,
    stack: Stack = None,
    count: Annotated[int, typer.Option("-k", min=1, max=20, help="So many paths, best first.")] = 1,
    through: Annotated[
        list[str] | None, typer.Option(help="A symbol the path must pass; in order.", show_default=False)
    ] = None,
    choose: Choose = None,
    rules: Rules = None,
    form: Annotated[PathForm, typer.Option("--format", help="text, json, mermaid, dot or svg.")] = PathForm.text,
    out: Out = None,
) -> None:
    """How A reaches B, or a named path, step by step, every crossing named; where it stops, if it stops."""
    import tracer.trace as pipeline

    names, specs = asked(words, [*(more or [])], stack, most=2)
    if len(names) == 1 and through:
        raise UsageError("--through is for a path from A to B", todo="a named path has its own way-points")
    with Bars() as bars:
        fetch(specs, bars)
        found = pipeline.path(
            names,
            specs,
            count=count,
            through=through or (),
            choose=choose or (),
            rules=folders(rules or []),
            progress=bars,
        )
    if form is PathForm.json:
        from tracer.render.json import head
        from tracer.render.steps import as_json

        text = document_text({**head("path", found.engines), "paths": [as_json(p) for p in found.paths]})
    elif form is PathForm.text:
        from tracer.render import steps

        text = steps.text(found.paths, found.engines)
    else:
        from tracer.render import diagram

        text = diagram.render(found.paths, form.value, found.engines)
    deliver(text, out)
    if any(p.end != "complete" for p in found.paths):
        raise typer.Exit(3)


def paths(
    spec: Annotated[str | None, typer.Argument(help="Only of this engine.", show_default=False)] = None,
    rules: Rules = None,
) -> None:
    """The named paths and the stacks that there are."""
    from tracer.cli.console import write_table
    from tracer.paths import routes
    from tracer.render.text import Table
    from tracer.targets import parse_spec

    engine = parse_spec(spec)[0].name if spec else ""
    rows = [
        (r.name, "+".join(r.engines), r.stack, r.title.en)
        for r in routes.routes(folders(rules or []))
        if engine in ("", r.engines[0])
    ]
    write_table(Table(("path", "engines", "stack", "shows"), tuple(sorted(rows, key=lambda r: (r[1], r[0])))))
    write("\n")
    write_table(Table(("stack", "engines"), tuple((n, " ".join(e)) for n, e in routes.stacks().items())))


# -- what the path-like commands share ----------------------------------------------------
def asked(words: list[str], more: list[str], stack: str | None, most: int) -> tuple[list[str], list[str]]:
    """What is asked and of which engines: trailing words that name engines are engines, then --stack, then --with."""
    from tracer.paths import routes
    from tracer.targets import names

    known = names()
    cut = len(words)
    while cut > 1 and words[cut - 1].partition("@")[0].lower() in known:
        cut -= 1
    what, specs = words[:cut], [*words[cut:], *(routes.stack(stack) if stack else ()), *more]
    if len(what) > most:
        near = what[-1]
        raise UsageError(f"{near!r} is no engine", todo=f"engines: {', '.join(known)}; give ENGINE or ENGINE@VERSION")
    if not specs:
        raise UsageError("no engine is named", todo=f"end with one of {', '.join(known)}, or give --with or --stack")
    return what, specs


def fetch(specs: list[str], bars: Bars) -> None:
    """Make sure of the sources; a fetch on the way says which source it took."""
    from tracer import checkout

    for spec in specs:
        checkout.open_tree(spec, progress=bars, note=bars.note)


def deliver(text: str, out: Path | None) -> None:
    """Write to a file, or to stdout."""
    if out is None:
        write(text)
        return
    from tracer import atomic

    try:
        atomic.write(out, text)
    except OSError as error:
        kind = TracerError if atomic.is_room(error) else UsageError
        raise kind(f"cannot write {out} ({error.strerror})", todo="choose another --out") from error


def discover(
    spec: Annotated[str, typer.Argument(help="A folder of code, or ENGINE\\[@VERSION].")],
    limit: Annotated[int, typer.Option(min=1, help="So many functions per role at most.")] = 100,
    form: Form = Format.text,
) -> None:
    """Candidates for roles in code without rules, best first per role, each with the reason."""
    import tracer.trace as pipeline

    with Bars() as bars:
        found = pipeline.discover(spec, limit=limit, progress=bars)
    if form is Format.json:
        from tracer.render import json as documents

        write_document(documents.where([found], command="discover"))
    else:
        lines = (f"{s.role} {s.action}  {s.file}:{s.first}  {s.symbol}  ({s.why})" for s in found.sites)
        write_lines(lines)
    if not found.sites:
        note(f"{len(found.gaps)} gaps and no candidate — does {spec} hold sources, or only compiled files?")
        raise typer.Exit(3)
