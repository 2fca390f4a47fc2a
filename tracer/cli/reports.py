"""`report`: a role's answer as pages to read and documents to check."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.answers import Lang, Language
from tracer.cli.console import Bars, folders, note, write_lines
from tracer.cli.questions import Role, Rules, Specs, check_names, has_open_question

if TYPE_CHECKING:
    from tracer.model import Gap


class Pages(enum.StrEnum):
    """How the pages are written."""

    md = "md"
    html = "html"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def report(
    role: Role,
    specs: Specs = None,
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("out"),
    contexts: Annotated[bool, typer.Option("--contexts", help="Also tests, mocks and benchmarks.")] = False,
    form: Annotated[Pages, typer.Option("--format", help="Markdown pages, or one HTML file.")] = Pages.md,
    lang: Lang = Language.en,
    rules: Rules = None,
) -> None:
    """Write pages and JSON: per engine and layer each site with excerpt, guards, reason and link."""
    check_names(role, None, None)
    import tracer.trace as pipeline
    from tracer.checkout import open_tree
    from tracer.errors import TracerError, UsageError
    from tracer.evidence import counts
    from tracer.model import Gap
    from tracer.render.grouping import version_text
    from tracer.render.report import Subject, make, write
    from tracer.render.text import counts_text
    from tracer.targets import defaults

    more = folders(rules or [])
    subjects, missing = [], []
    with Bars() as bars:
        for spec in list(dict.fromkeys(specs or [])) or list(defaults()):
            try:
                tree = open_tree(spec, progress=bars, note=bars.note)
                found = pipeline.where(role, [spec], contexts=contexts, rules=more, progress=bars)
                subjects.append(Subject(found, tree))
            except UsageError:
                raise
            except TracerError as error:
                missing.append(Gap(spec, str(error)))
        pages = make(role, subjects, missing, form=form.value, language=lang.value)
    write(pages, out)
    write_lines(
        f"{e.name} {version_text(e.version)}: {len(s.trace.sites)} sites, {_gaps(s.trace.gaps)}"
        for s in subjects
        for e in s.trace.engines
    )
    for gap in missing:
        note(f"{gap.what} is missing from the report: {gap.why}")
    tally = counts(pages.verdicts)
    write_lines([f"{counts_text(tally)}; see {out / (f'{role}.html' if form is Pages.html else 'index.md')}"])
    if not subjects:
        raise typer.Exit(3)
    # A named gap for an engine that nobody asked for by name is part of the answer, not a failure.
    if tally["ok"] != len(pages.verdicts) or any(has_open_question(s.trace) for s in subjects) or (specs and missing):
        raise typer.Exit(1)


def _gaps(gaps: Sequence[Gap]) -> str:
    """`2 gaps, 18 files read in part`."""
    from tracer.render.grouping import about_a_file

    files = sum(map(about_a_file, gaps))
    more = f", {files} file{'s' * (files > 1)} read in part" if files else ""
    count = len(gaps) - files
    return f"{count or 'no'} gap{'s' * (count != 1)}{more}"
