"""`verify`: is what Tracer printed still so?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.console import Bars, Format, write, write_lines, write_styled
from tracer.errors import TracerError, UsageError

if TYPE_CHECKING:
    from tracer.cited import Claim, Trees
    from tracer.files import Files
    from tracer.model import SourceTree

MAX_DOCUMENT_BYTES = 256 << 20  # a trace of everything is some 10 MB


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)


def verify(
    printed: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="What Tracer printed, in any format, or a folder of it (report, atlas)."),
    ],
    now: Annotated[
        list[str] | None,
        typer.Option("--in", help="Read it in ENGINE\\[@VERSION] or in this folder instead.", show_default=False),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Re-read every piece of evidence in FILE; what moved is found again, what is stale is reported.

    A document (--format json) has a digest of every line that it cites. Of other formats the lines of code that they
    print are compared, and each place must lie in the function that it names.
    """
    from tracer.evidence import counts, judged
    from tracer.files import Files

    with Bars() as bars:

        def tree(engine: str, version: str) -> SourceTree:
            from tracer.checkout import open_tree

            return open_tree(f"{engine}@{version}" if version else engine, progress=bars, note=bars.note)

        specs, instead = _instead(now or [], bars)
        before = Files(_first(instead, tree) if instead else tree)
        found = [(file, _claims(file, before, specs)) for file in _files(printed)]
        if len(printed) == 1 and not printed[0].is_dir() and not found[0][1]:
            raise UsageError("cites nothing", where=str(printed[0]), todo="name something that Tracer printed")
        after = Files(instead) if instead else None
        verdicts = [(file, judged(claims, before, after)) for file, claims in found]
    every = [v for _, some in verdicts for v in some]
    if form is Format.json:
        from tracer.render import json as documents

        engines = dict.fromkeys((c.engine, c.version) for _, claims in found for c in claims)
        heads = [{"name": name, "version": version} for name, version in engines]
        write(documents.dumps(documents.verify(heads, every)))
    else:
        from tracer.render import text

        if len(verdicts) > 1:
            write_lines(f"{file}: {text.counts_text(counts(some))}" for file, some in verdicts if some)
        write_styled(text.verify(every))
    tally = counts(every)
    if tally["stale"]:
        raise typer.Exit(1)
    if tally["unread"]:
        raise typer.Exit(3)


def _files(printed: Sequence[Path]) -> list[Path]:
    from tracer.reread import files_of

    found = [file for place in printed for file in files_of(place)]
    if not found:
        raise UsageError("holds nothing that Tracer prints", where=str(printed[0]), todo="name a report or an atlas")
    return found


def _claims(file: Path, files: Files, specs: dict[str, str]) -> list[Claim]:
    from tracer.reread import TODO, claims_in

    try:
        if file.stat().st_size > MAX_DOCUMENT_BYTES:
            raise UsageError(f"is larger than {MAX_DOCUMENT_BYTES >> 20} MiB", where=str(file), todo=TODO)
        return claims_in(file.read_bytes(), files, specs)
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror or error})", where=str(file), todo=TODO) from error
    except UsageError as error:
        raise UsageError(error.what, where=error.where or str(file), todo=error.todo) from error


def _instead(now: Sequence[str], bars: Bars) -> tuple[dict[str, str], Trees | None]:
    """What `--in` names: the version of each engine, and their sources; a folder is one of whatever is asked for."""
    if not now:
        return {}, None
    from tracer.checkout import folder_tree, open_tree
    from tracer.targets import parse_spec

    specs: dict[str, str] = {}
    place: list[Path] = []
    for spec in now:
        if Path(spec).is_dir() and "@" not in spec:
            place.append(Path(spec))
        else:
            target, version = parse_spec(spec)
            specs[target.name] = version.name
    kept: dict[str, SourceTree] = {}

    def tree(engine: str, version: str) -> SourceTree:
        if engine not in kept:
            if engine in specs:
                kept[engine] = open_tree(f"{engine}@{specs[engine]}", progress=bars, note=bars.note)
            elif place:
                kept[engine] = folder_tree(place[0], engine)
            else:
                kept[engine] = open_tree(f"{engine}@{version}", progress=bars, note=bars.note)
        return kept[engine]

    return specs, tree


def _first(instead: Trees, tree: Callable[[str, str], SourceTree]) -> Trees:
    """What was asked about where it can still be had, else what is read instead of it."""

    def either(engine: str, version: str) -> SourceTree:
        try:
            return tree(engine, version)
        except TracerError:
            return instead(engine, version)

    return either
