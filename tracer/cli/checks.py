"""`verify`: is what a saved document says still so?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tracer.cli.console import Bars, Format, read_json, write, write_styled
from tracer.errors import UsageError

if TYPE_CHECKING:
    from tracer.model import SourceTree

MAX_DOCUMENT_BYTES = 256 << 20  # a trace of everything is some 10 MB


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)


def verify(
    file: Annotated[Path, typer.Argument(help="A document saved with --format json, or one of a report's.")],
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Re-read every piece of evidence in FILE; what moved is found again, what is stale is reported."""
    from tracer.checkout import open_tree
    from tracer.evidence import counts
    from tracer.evidence import verify as judge

    document = _read(file)
    with Bars() as bars:

        def tree(engine: str, version: str) -> SourceTree:
            return open_tree(f"{engine}@{version}" if version else engine, progress=bars, note=bars.note)

        verdicts = judge(document, tree)
    if form is Format.json:
        from tracer.render import json as documents

        write(documents.dumps(documents.verify(document.get("engines"), verdicts)))
    else:
        from tracer.render import text

        write_styled(text.verify(verdicts))
    tally = counts(verdicts)
    if tally["stale"]:
        raise typer.Exit(1)
    if tally["unread"]:
        raise typer.Exit(3)


def _read(file: Path) -> dict[str, Any]:
    todo = "name a document saved with --format json"
    document = read_json(file, MAX_DOCUMENT_BYTES, todo)
    if not isinstance(document, dict) or not str(document.get("schema", "")).startswith("tracer."):
        raise UsageError("is no document of Tracer's", where=str(file), todo=todo)
    return document
