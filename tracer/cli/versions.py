"""`diff` and `timeline`: what changed between versions."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.console import (
    Bars,
    folders,
    note,
    one_of,
    write,
    write_document,
    write_findings,
    write_lines,
    write_styled,
)
from tracer.cli.questions import Absolute, Rules
from tracer.errors import UsageError

if TYPE_CHECKING:
    from tracer.diff.model import End
    from tracer.evidence import Excerpt
    from tracer.model import SourceTree

PARTS = ("sites", "callers", "paths", "claims", "pairs", "defaults")  # as `tracer.diff.PARTS`


class Least(enum.StrEnum):
    """From which severity on the exit status is 1."""

    breaking = "breaking"
    any = "any"


class DiffFormat(enum.StrEnum):
    """How a difference is written."""

    text = "text"
    json = "json"
    md = "md"
    html = "html"
    lines = "lines"
    sarif = "sarif"
    codequality = "codequality"


class Picture(enum.StrEnum):
    """How a timeline is written."""

    text = "text"
    json = "json"
    md = "md"
    svg = "svg"
    mermaid = "mermaid"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(diff)
    app.command()(timeline)


def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="ENGINE@VERSION, or a folder such as ./checkout.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="ENGINE@VERSION, or a folder.")],
    role: Annotated[str, typer.Option(help="Only this role.")] = "all",
    only: Annotated[
        list[str] | None, typer.Option(help=f"Compare only: {', '.join(PARTS)}.", show_default=False)
    ] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only changes of this kind.", show_default=False)] = None,
    excerpts: Annotated[bool, typer.Option("--excerpts", help="Also the code on either side.")] = False,
    fail_on: Annotated[
        Least | None,
        typer.Option(help="Status 1 on a breaking change, or on any change of behaviour.", show_default=False),
    ] = None,
    rules: Rules = None,
    form: Annotated[
        DiffFormat,
        typer.Option(
            "--format",
            help="text, json, md; html: one page; lines: file:line:col; sarif: code hosts; codequality: GitLab.",
        ),
    ] = DiffFormat.text,
    absolute: Absolute = False,
) -> None:
    """What differs between two versions: added, removed, moved, renamed, gated otherwise, claims that flipped."""
    from tracer.model import ROLES

    one_of(role, ("all", *ROLES), "role")
    for part in only or []:
        one_of(part, PARTS, "part")
    from tracer.diff import diff as compare
    from tracer.diff.model import KINDS

    for name in kind or []:
        one_of(name, KINDS, "kind")
    from tracer.diff import failing, subjects

    with Bars() as bars:
        sides = subjects(before, after, progress=bars)
        found = compare(*sides, role=role, only=only or (), rules=folders(rules or []))
    if kind:
        found = replace(found, changes=tuple(c for c in found.changes if c.kind in kind))
    from tracer.render import changes as render

    show = _excerpts({"before": sides[0].tree, "after": sides[1].tree}) if excerpts else None
    if form is DiffFormat.json:
        write_document(render.document(found))
    elif form in (DiffFormat.lines, DiffFormat.sarif, DiffFormat.codequality):
        from tracer.render import sarif
        from tracer.render.findings import of_diff

        complaints, gaps = of_diff(found), [f"{side}: {g.what}: {g.why}" for side, g in found.gaps]
        log = partial(sarif.log, "diff", [found.before, found.after], sarif.DIFF_RULES, complaints, gaps)
        write_findings(form, complaints, [side.tree for side in reversed(sides)], log, absolute=absolute)
    elif form is DiffFormat.html:
        from tracer.render.changes_html import page

        write(page(found, _excerpts({"before": sides[0].tree, "after": sides[1].tree})))
    elif form is DiffFormat.md:
        write_lines(render.markdown(found, show))
    else:
        write_styled(render.text(found, show))
    if not any(found.compared.values()) and not found.changes:
        note("no site on either side — see `tracer where`")
        raise typer.Exit(3)
    if fail_on and failing(found.changes, fail_on.value):
        raise typer.Exit(1)


def timeline(
    what: Annotated[str, typer.Argument(metavar="ROLE|CLAIM|PAIR", help="A role or 'all', a claim's id, pairs:WHAT.")],
    engine: Annotated[str, typer.Argument(help="ENGINE.")],
    since: Annotated[str, typer.Option("--from", help="The oldest version.", show_default=False)] = "",
    until: Annotated[str, typer.Option("--to", help="The newest version.", show_default=False)] = "",
    every: Annotated[bool, typer.Option("--all", help="Every release, fetched where need be.")] = False,
    clone: Annotated[
        str, typer.Option(help="With --all: the tags of this clone, not the package index.", show_default=False)
    ] = "",
    pre: Annotated[bool, typer.Option("--pre", help="With --all: release candidates too.")] = False,
    workers: Annotated[int, typer.Option(help="Processes; 0 is one for each core.", min=0)] = 0,
    dask: Annotated[str, typer.Option(help="Address of a Dask scheduler to run on.", show_default=False)] = "",
    rules: Rules = None,
    form: Annotated[Picture, typer.Option("--format", help="text, json, md; svg, mermaid: pictures.")] = Picture.text,
) -> None:
    """A role, claim or pair through the releases: where each place lies, when it appears, moves, changes, ends."""
    if clone and not every:
        raise UsageError("--clone is for --all", todo="add --all")
    from tracer.timeline import timeline as ask

    with Bars() as bars:
        found = ask(
            what,
            engine,
            since=since,
            until=until,
            every=every,
            clone=clone,
            pre=pre,
            dask=dask,
            workers=workers,
            rules=folders(rules or []),
            progress=bars,
        )
    from tracer.render import timelines as render

    if form is Picture.json:
        write_document(render.document(found))
    elif form is Picture.svg:
        from tracer.render.timeline_svg import draw

        write(draw(found))
    elif form in (Picture.md, Picture.mermaid):
        write_lines(render.markdown(found) if form is Picture.md else render.mermaid(found))
    else:
        write_styled(render.text(found))
    if not found.lines:
        note("no site in any of these versions — see `tracer where`")
        raise typer.Exit(3)
    if found.wrong and found.wrong[-1]:
        raise typer.Exit(1)


def _excerpts(trees: dict[str, SourceTree]) -> Callable[[str, End], Excerpt | None]:
    from tracer.evidence import excerpt

    def show(side: str, end: End) -> Excerpt | None:
        return excerpt(trees[side], end.file, end.first, end.last, 2) if end.first else None

    return show
