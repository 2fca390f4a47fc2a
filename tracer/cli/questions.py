"""`where` and `uses`: the questions that are one look-up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli import manual
from tracer.cli.console import (
    Bars,
    FindingFormat,
    Format,
    PlaceFormat,
    SiteFormat,
    folders,
    note,
    one_of,
    write_document,
    write_lines,
    write_styled,
)

if TYPE_CHECKING:
    from tracer.model import SourceTree, Trace

OPS = ("read", "write", "augment+", "augment-", "augment", "insert", "remove", "clear", "call", "define", "all")

Role = Annotated[str, typer.Argument(help="A role, or 'all'.", autocompletion=manual.roles)]
Specs = Annotated[
    list[str] | None,
    typer.Argument(
        help="ENGINE\\[@VERSION] …; without a version the newest pin, without any every engine.",
        show_default=False,
        autocompletion=manual.specs,
    ),
]
Rules = Annotated[list[Path] | None, typer.Option("--rules", help="A folder of more rules.", show_default=False)]
Form = Annotated[Format, typer.Option("--format", help="How to write the answer.")]
SiteForm = Annotated[
    SiteFormat, typer.Option("--format", help="text, json, md; lines: file:line:col; scip: an index for code browsers.")
]
PlaceForm = Annotated[PlaceFormat, typer.Option("--format", help="text, json, md; lines: file:line:col.")]
FindingForm = Annotated[
    FindingFormat,
    typer.Option(
        "--format", help="text, json, md; lines: file:line:col; sarif: for code hosts; codequality: for GitLab."
    ),
]
Absolute = Annotated[
    bool, typer.Option("--absolute", help="With lines: names of the files as they lie on this machine.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(where)
    app.command()(uses)


def where(
    role: Role,
    specs: Specs = None,
    layer: Annotated[str | None, typer.Option(help="Only this layer.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this action.")] = None,
    guards: Annotated[bool, typer.Option("--guards", help="Show the conditions around each site.")] = False,
    contexts: Annotated[bool, typer.Option("--contexts", help="Also tests, mocks and benchmarks.")] = False,
    rules: Rules = None,
    form: SiteForm = SiteFormat.text,
    absolute: Absolute = False,
) -> None:
    """Where is a role played, per layer?"""
    check_names(role, layer, action)
    with Bars() as bars:
        traces = ask(role, specs or [], layer=layer, action=action, contexts=contexts, rules=rules or [], bars=bars)
    if form is SiteFormat.json:
        from tracer.render import json as documents

        write_document(documents.where(traces))
    elif form in (SiteFormat.lines, SiteFormat.scip):
        from tracer import checkout

        trees = [checkout.open_tree(f"{e.name}@{e.version}") for t in traces for e in t.engines]
        if form is SiteFormat.scip:
            _write_scip([t for t in traces if t.engines], trees)
            raise typer.Exit(status_of(traces))
        from tracer.render import findings

        read = [trace for trace in traces if trace.engines]
        for trace, tree in zip(read, trees, strict=True):
            write_lines(findings.lines(findings.of_sites([trace]), [tree], absolute=absolute))
    elif form is SiteFormat.md:
        from tracer.render.text import where_markdown

        write_lines(where_markdown(traces, guards=guards))
    else:
        from tracer.render.text import where as lines

        write_styled(lines(traces, guards=guards))
    raise typer.Exit(status_of(traces))


def _write_scip(traces: Sequence[Trace], trees: Sequence[SourceTree]) -> None:
    import sys

    from tracer.errors import UsageError

    try:
        from tracer.render.scip import index
    except ImportError as error:
        todo = "install it with `pip install 'kv-tracer[scip]'`"
        raise UsageError(f"SCIP needs protobuf, which is not here ({error.name})", todo=todo) from error
    sys.stdout.buffer.write(index(traces, trees))


def uses(
    pattern: Annotated[str, typer.Argument(help="Class.field, Class.method, a function, @decorator, or C++ Class::x.")],
    spec: Annotated[str, typer.Argument(help="ENGINE\\[@VERSION].", autocompletion=manual.specs)],
    op: Annotated[str, typer.Option(help=f"One of {', '.join(OPS)}.")] = "all",
    within: Annotated[str | None, typer.Option("--in", help="Only in paths that this glob matches (or tails).")] = None,
    form: PlaceForm = PlaceFormat.text,
    absolute: Absolute = False,
) -> None:
    """Every place that uses this state or calls this function, by type."""
    one_of(op, OPS, "op")
    import tracer.trace as pipeline
    from tracer import checkout

    with Bars() as bars:
        tree = checkout.open_tree(spec, progress=bars, note=bars.note)
        engine, found, gaps = pipeline.uses(pattern, spec, op=op, glob=within, progress=bars)
    if form is PlaceFormat.json:
        from tracer.render import json as documents

        write_document(documents.uses(engine, found, gaps))
    elif form is PlaceFormat.lines:
        from tracer.render import findings

        write_lines(findings.lines(findings.of_uses(found), [tree], absolute=absolute))
    else:
        from tracer.render import text

        if form is PlaceFormat.md:
            write_lines(text.uses_markdown(engine, found, gaps))
        else:
            write_styled(text.uses(engine, found, gaps))
    if not found:
        note(f"nothing in {engine.name} {engine.version} does {op!r} to {pattern} — check the name with --op all")
        raise typer.Exit(3)


def check_names(role: str, layer: str | None, action: str | None) -> None:
    """`UsageError` with the nearest names for a role, layer or action that does not exist."""
    from tracer.model import ACTIONS, LAYERS, ROLES

    one_of(role, ("all", *ROLES), "role")
    if layer is not None:
        one_of(layer, LAYERS, "layer")
    if action is not None:
        actions = ACTIONS.get(role) or sorted({a for known in ACTIONS.values() for a in known})
        one_of(action, actions, "action" if role == "all" else f"action of {role}")


def ask(
    role: str,
    specs: Sequence[str],
    *,
    layer: str | None,
    action: str | None,
    contexts: bool,
    rules: Sequence[Path],
    bars: Bars,
) -> list[Trace]:
    """One trace per engine. With several, one that cannot be had is a gap; a single one ends the command."""
    import tracer.trace as pipeline
    from tracer import checkout
    from tracer.errors import TracerError, UsageError
    from tracer.model import Gap, Trace
    from tracer.targets import defaults

    more = folders(rules)
    wanted = list(dict.fromkeys(specs)) or list(defaults())
    traces: list[Trace] = []
    for spec in wanted:
        try:
            checkout.open_tree(spec, progress=bars, note=bars.note)  # a fetch on the way says which source it took
            traces.append(
                pipeline.where(
                    role,
                    [spec],
                    layer=layer,
                    action=action,
                    contexts=contexts,
                    rules=more,
                    progress=bars,
                )
            )
        except UsageError:
            raise
        except TracerError as error:
            if len(wanted) == 1:
                raise
            traces.append(Trace((), gaps=(Gap(spec, str(error)),)))
    return traces


def status_of(traces: Sequence[Trace]) -> int:
    """0 answered, 1 answered without some rule or engine, 3 nothing found at all."""
    if not any(trace.sites for trace in traces):
        note("no site found — see the gaps, or ask without --layer and --action")
        return 3
    return 1 if any(has_open_question(trace) for trace in traces) else 0


def has_open_question(trace: Trace) -> bool:
    """Whether a rule or an engine is missing from the answer; a file that was read in part only is told, not judged."""
    from tracer.render.grouping import about_a_file

    return not all(map(about_a_file, trace.gaps))
