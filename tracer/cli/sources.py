"""`targets`, `fetch` and `cache`: what can be traced, and what lies on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.console import Bars, Format, note, one_of, write, write_lines, write_table
from tracer.errors import CacheError, TracerError, UsageError

if TYPE_CHECKING:
    from tracer.targets import SourceSpec

SOURCES = ("git", "archive")

Form = Annotated[Format, typer.Option("--format", help="How to write the answer.")]

_targets = typer.Typer(help="The engines and their pinned versions.", rich_markup_mode="rich")
_cache = typer.Typer(help="What lies in the cache directory.", rich_markup_mode="rich", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_targets, name="targets")
    app.command()(fetch)
    app.add_typer(_cache, name="cache")


@_targets.callback(invoke_without_command=True)
def _list_by_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        targets_list()


@_targets.command("list")
def targets_list(form: Form = Format.text) -> None:
    """Every engine with its pins, newest first."""
    from tracer.targets import load_targets

    if form is Format.json:
        from dataclasses import asdict

        from tracer.render.json import dumps

        engines = [
            {"name": t.name, "title": t.title, "url": t.url, "versions": [asdict(v) for v in t.versions]}
            for t in load_targets()
        ]
        write(dumps({"schema": "tracer.targets/1", "engines": engines}))
        return
    from tracer.render.text import Table

    rows = tuple(
        (t.name, v.name, v.tag, v.commit[:12], v.released, ", ".join(map(_source_text, v.sources)))
        for t in load_targets()
        for v in t.versions
    )
    write_table(Table(("engine", "version", "tag", "commit", "released", "sources"), rows), form)


def _source_text(source: SourceSpec) -> str:
    return source.kind if source.kind == "git" else f"{source.kind} {source.file}"


@_targets.command("add")
def targets_add(
    engine: Annotated[str, typer.Argument(help="An engine's name.")],
    version: Annotated[str, typer.Argument(help="A release as the package index or the repository names it.")],
    origin: Annotated[
        str | None, typer.Option("--from", help="A clone or bare mirror that knows it.", show_default=False)
    ] = None,
) -> None:
    """Resolve another version and keep it among your own pins."""
    from tracer.checkout import add_pin

    pin = add_pin(engine, version, origin=origin or "", note=note)
    write_lines([f"{engine} {pin.name} is pinned: {', '.join(map(_source_text, pin.sources))}"])


@_targets.command("new")
def targets_new(
    engine: Annotated[str, typer.Argument(help="What to call it.")],
    project: Annotated[str, typer.Argument(help="Its project on the package index.")],
    url: Annotated[str, typer.Option(help="The repository's web address, if the archive does not say.")] = "",
) -> None:
    """Draft the target file of another engine among your own; then it can be asked by name."""
    from tracer.checkout import draft_target
    from tracer.targets import target

    place = draft_target(engine, project, url=url, note=note)
    made = target(engine)
    write_lines(
        [
            f"{place}: {', '.join(made.roots)}; {made.versions[0].name} is pinned",
            f"read it; `tracer where publish {engine}` gives candidates, `--rules DIR` takes DIR/{engine}/*.yaml",
        ]
    )


def fetch(
    specs: Annotated[
        list[str] | None,
        typer.Argument(help="ENGINE\\[@VERSION] …; every engine's newest pin without.", show_default=False),
    ] = None,
    source: Annotated[str | None, typer.Option(help="git or archive; git first without.", show_default=False)] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--from", help="A clone, bare mirror, archive, folder or URL to take it from.", show_default=False
        ),
    ] = None,
) -> None:
    """Bring sources onto this machine; afterwards every question works offline."""
    if source is not None:
        one_of(source, SOURCES, "source")
    if origin is not None and len(specs or []) != 1:
        raise UsageError("--from needs exactly one ENGINE[@VERSION]", todo="name the engine that it holds")
    from tracer import checkout
    from tracer.targets import defaults

    failed: list[TracerError] = []
    wanted = [checkout.pin_of(spec, origin=origin or "", note=note) for spec in dict.fromkeys(specs or defaults())]
    for target, version in wanted:
        try:
            with Bars() as bars:
                tree = checkout.fetch(target, version, source=source, origin=origin, progress=bars, note=bars.note)
        except UsageError:
            raise
        except TracerError as error:
            if len(wanted) == 1:
                raise
            failed.append(error)
            note(str(error))
            continue
        revision = tree.revision
        name = revision.tag or revision.commit[:12] or revision.digest[:12]
        write_lines([f"{target.name} {version.name}: {len(tree.files())} files, {revision.kind} {name}"])
    if failed:
        raise typer.Exit(3)


@_cache.command("info")
def cache_info(form: Form = Format.text) -> None:
    """Where the cache is and what it holds."""
    from tracer.catalog import cache_dir

    place = cache_dir(write=False)
    found = [(item.name, _size(item)) for item in sorted(place.iterdir())] if place.is_dir() else []
    if form is Format.json:
        from tracer.render.json import dumps

        entries = [{"name": name, "bytes": size} for name, size in found]
        write(dumps({"schema": "tracer.cache/1", "path": str(place), "entries": entries}))
        return
    from tracer.render.text import Table

    write_lines([str(place)])
    total = ("all", sum(size for _, size in found))
    rows = tuple((name, f"{size / 1e6:.1f} MB") for name, size in [*found, total])
    write_table(Table(("entry", "size"), rows), form)


@_cache.command("clear")
def cache_clear(
    sources: Annotated[bool, typer.Option("--sources", help="Also the fetched sources.")] = False,
) -> None:
    """Remove what was computed; it is made again when a question needs it."""
    import shutil
    from contextlib import nullcontext

    from tracer import atomic
    from tracer.catalog import cache_dir

    place = cache_dir(write=False)
    # By name: TRACER_CACHE_DIR may point at a folder that holds other things.
    patterns = ["facts-*.sqlite*", *(("trees", "downloads") if sources else ())]
    freed = 0
    # Nobody opens a cache of which one file is gone and another is still there.
    with atomic.alone(place) if place.is_dir() else nullcontext():
        for item in sorted({found for pattern in patterns for found in place.glob(pattern)}):
            freed += _size(item)
            try:
                shutil.rmtree(item) if item.is_dir() and not item.is_symlink() else item.unlink(missing_ok=True)
            except FileNotFoundError:  # who had it open takes it away too
                continue
            except OSError as error:
                reason = error.strerror or str(error)
                raise CacheError(f"cannot be removed ({reason})", where=str(item), todo="end other runs") from error
    write_lines([f"{freed / 1e6:.1f} MB freed"])


def _size(item: Path) -> int:
    if item.is_dir() and not item.is_symlink():
        return sum(_size(f) for f in item.rglob("*") if f.is_file() and not f.is_symlink())
    try:
        return item.lstat().st_size
    except FileNotFoundError:  # another process has taken it away since
        return 0
