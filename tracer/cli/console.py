"""What every command shares: printing for a terminal or a pipe, progress, names with their nearest, output formats.

rich is imported only where a terminal is written to.
"""

from __future__ import annotations

import enum
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tracer.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from tracer.model import SourceTree
    from tracer.render.findings import Finding
    from tracer.render.text import Line, Table

given: list[str] = []  # the command line as it was given, with the `--` that the parser takes out
PATIENCE = 1.0  # seconds before a progress bar appears


class Format(enum.StrEnum):
    """How an answer is written."""

    text = "text"
    json = "json"
    md = "md"


class PlaceFormat(enum.StrEnum):
    """How an answer that is a list of places is written; `lines` are for editors."""

    text = "text"
    json = "json"
    md = "md"
    lines = "lines"


class SiteFormat(enum.StrEnum):
    """How sites are written; `scip` is an index for code browsers."""

    text = "text"
    json = "json"
    md = "md"
    lines = "lines"
    scip = "scip"


class FindingFormat(enum.StrEnum):
    """How an answer that complains is written; `sarif` is for code hosts."""

    text = "text"
    json = "json"
    md = "md"
    lines = "lines"
    sarif = "sarif"
    codequality = "codequality"


def on_terminal() -> bool:
    """Whether stdout wants colours: a terminal, unless NO_COLOR or a dumb one; FORCE_COLOR also says yes."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def write(text: str) -> None:
    """Text as it is."""
    sys.stdout.write(text)


def document_text(document: dict[str, Any]) -> str:
    """A document as it is printed, with the digest of every line that it cites."""
    from tracer.cited import sealed
    from tracer.render.json import dumps

    return dumps(sealed(document))


def write_document(document: dict[str, Any]) -> None:
    """A document of the machine-readable contract."""
    write(document_text(document))


def write_findings(
    form: str, found: Sequence[Finding], trees: Sequence[SourceTree], log: Callable[[], dict[str, Any]], *,
    absolute: bool = False,
) -> None:  # fmt: skip
    """Findings for other programs: as `lines`, as `codequality`, or as the SARIF log that `log` makes of them."""
    from tracer.render import findings, quality
    from tracer.render.json import dumps

    if form == "lines":
        write_lines(findings.lines(found, trees, more=True, absolute=absolute))
    else:
        write(dumps(quality.report(found) if form == "codequality" else log()))


def write_lines(lines: Iterable[str]) -> None:
    """Plain lines."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


def write_styled(lines: Iterable[Line]) -> None:
    """Lines with styles: coloured on a terminal, plain otherwise; never cut or wrapped by us."""
    from tracer.render.text import plain
    from tracer.visible import visible

    if not on_terminal():
        write_lines(visible(plain(line)) for line in lines)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    for line in lines:
        console.print(Text.assemble(*((visible(text), style) for text, style in line)))


def write_table(table: Table, form: Format = Format.text) -> None:
    """A table: drawn on a terminal, aligned with spaces in a pipe, or as Markdown."""
    from tracer.visible import visible

    if form is Format.md:
        write_lines(table.markdown())
    elif not on_terminal():
        write_lines(map(visible, table.plain()))
    else:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        drawn = RichTable(*table.columns, box=box.SIMPLE_HEAD)
        for row in table.rows:
            drawn.add_row(*(Text(visible(text), overflow="fold") for text in row))
        Console().print(drawn)


def note(message: str) -> None:
    """One line on stderr."""
    print(f"tracer: {message}", file=sys.stderr)


def one_of(name: str, known: Sequence[str], what: str) -> str:
    """`name` if it is known; else a `UsageError` with the nearest names."""
    if name in known:
        return name
    from tracer.targets import nearest

    near = nearest(name, list(known))
    todo = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
    raise UsageError(f"there is no {what} {name!r}", todo=todo)


def read_json(file: Path, most: int, todo: str = "name a JSON file") -> Any:
    """The content of a JSON file of at most `most` bytes; one-line `UsageError` otherwise."""
    import json

    try:
        if file.stat().st_size > most:
            raise UsageError(f"is larger than {most >> 20} MiB", where=str(file), todo=todo)
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot be read ({reason})", where=str(file), todo=todo) from error


def folders(paths: Sequence[Path]) -> list[Path]:
    """Folders that the user named and that exist."""
    for path in paths:
        if not path.is_dir():
            raise UsageError("is no folder", where=str(path), todo="name a folder of <engine>/<rules>.yaml")
    return [path.resolve() for path in paths]


class Bars:
    """Progress on stderr for whatever takes more than a second; silent when stderr is no terminal."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._since = time.monotonic()
        self._wanted = sys.stderr.isatty()

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _b: TracebackType | None) -> None:
        if self._bars is not None:
            self._bars.stop()

    def note(self, message: str) -> None:
        """One line above the bars; a source that is fetched on the way says so."""
        if self._bars is None:
            note(message)
        else:
            self._bars.console.print(f"tracer: {message}", soft_wrap=True, highlight=False, markup=False)

    def __call__(self, what: str, done: int, total: int) -> None:
        """Stage `what` has done `done` of `total` (0: unknown)."""
        if not self._wanted or (self._bars is None and time.monotonic() - self._since < PATIENCE):
            return
        if self._bars is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

            self._bars = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bars.start()
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what, total=total or None)
        self._bars.update(self._tasks[what], completed=done, total=total or None)
