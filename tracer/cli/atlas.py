"""`atlas`: a static site about some engines, made from the user's own sources."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.answers import Lang, Language
from tracer.cli.console import Bars, folders, note, read_json, write_lines
from tracer.cli.questions import Rules, Specs

if TYPE_CHECKING:
    from tracer.model import Gap
    from tracer.render.atlas import Subject


MOST_CONFIRMED = 64 << 20  # bytes of a saved confirmation


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(atlas)


def atlas(
    specs: Specs = None,
    out: Annotated[Path, typer.Option(help="The folder to write into: empty, or an earlier atlas.")] = Path("site"),
    stack: Annotated[
        list[str] | None, typer.Option(help="Show paths through this stack (see `tracer paths`).", show_default=False)
    ] = None,
    paths: Annotated[bool, typer.Option("--paths/--no-paths", help="Named paths, drawn and as guided tours.")] = True,
    diffs: Annotated[bool, typer.Option("--diffs/--no-diffs", help="Compare versions of one engine.")] = True,
    confirmed: Annotated[
        list[Path] | None,
        typer.Option(help="A saved `probe confirm … --format json`: run-time marks.", show_default=False),
    ] = None,
    lang: Lang = Language.en,
    rules: Rules = None,
) -> None:
    """Write a site that opens from a folder: matrix, places with code, answers, failures, versions, budget, search."""
    from tracer.render.atlas import Atlas, build

    more = folders(rules or [])
    seen = [read_json(file, MOST_CONFIRMED, "save a `probe confirm`") for file in confirmed or []]
    started = time.monotonic()
    with Bars() as bars:
        subjects, missing = _subjects(specs, more, bars)
        if not subjects:
            for gap in missing:
                note(f"{gap.what}: {gap.why}")
            raise typer.Exit(3)
        older = _older(subjects, more, bars) if diffs else []
        found = Atlas(
            subjects, missing=missing, older=older, stacks=stack or (), rules=more, confirmed=seen,
            language=lang.value, tours=None if paths else (), progress=bars,
        )
        built = build(found, out)
    write_lines([
        f"{built.files} files, {built.size / 1e6:.1f} MB: {built.made} pages made, {built.written} files written, "
        f"{built.removed} removed, in {time.monotonic() - started:.1f} s; open {out / 'index.html'}"
    ])
    for gap in missing:
        note(f"{gap.what} is missing from the atlas: {gap.why}")
    if specs and missing:
        raise typer.Exit(1)


def _subjects(specs: Sequence[str] | None, rules: Sequence[Path], bars: Bars) -> tuple[list[Subject], list[Gap]]:
    """The engines that were asked for, each version once; one that cannot be had is a gap."""
    from tracer.checkout import open_tree
    from tracer.errors import TracerError, UsageError
    from tracer.model import Gap
    from tracer.render.atlas import subject_of
    from tracer.targets import defaults, parse_spec

    found: dict[tuple[str, str], Subject] = {}
    missing = []
    for spec in specs or defaults():
        target, version = parse_spec(spec)
        try:
            tree = open_tree((target, version), progress=bars, note=bars.note)
            found.setdefault(
                (target.name, version.name), subject_of(target, version, tree, rules=rules, progress=bars)
            )
        except UsageError:
            raise
        except TracerError as error:
            missing.append(Gap(spec, str(error)))
    return list(found.values()), missing


def _older(subjects: Sequence[Subject], rules: Sequence[Path], bars: Bars) -> list[tuple[Subject, Subject]]:
    """What to compare: versions of one engine that were asked for, else each with the pin before it, if it is here."""
    from tracer.checkout.store import stored
    from tracer.render.atlas import subject_of

    pairs: list[tuple[Subject, Subject]] = []
    for subject in subjects:
        order = [v.name for v in subject.target.versions]
        others = [s for s in subjects if s.target.name == subject.target.name and s is not subject]
        older = [s for s in others if order.index(s.version.name) > order.index(subject.version.name)]
        if older:
            pairs.append((min(older, key=lambda s: order.index(s.version.name)), subject))
        elif not others:
            here = subject.target.versions[order.index(subject.version.name) + 1 :]
            for version in here[:1]:
                if tree := stored(subject.target, version):
                    before = subject_of(subject.target, version, tree, rules=rules, progress=bars)
                    pairs.append((before, subject))
    return pairs
