"""Whatever Tracer prints → the claims in it, so that `verify` can re-read them.

A document of the machine-readable contract says itself what it cites (`tracer.cited`). Here are the other forms: text
and Markdown (`texts.py`), drawings (`drawings.py`), pages with code (`pages.py`), and files for other programs
(`exports.py`). Their lines have no digests: where the code is printed it is compared, else the line must belong to the
symbol beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tracer.cited import Claim, claims_of
from tracer.errors import UsageError
from tracer.files import Files

SUFFIXES = (".json", ".jsonl", ".md", ".txt", ".text", ".html", ".sarif", ".scip", ".svg", ".dot", ".mmd", ".mermaid",
            ".graphml", ".lines")  # fmt: skip
TODO = "name something that Tracer printed, or a folder of it"


def claims_in(data: bytes, files: Files, specs: Mapping[str, str] | None = None) -> list[Claim]:
    """Every piece of evidence in `data`; `specs` (engine → version) is what a form that names no engine is read in."""
    return list(_claims(data, files, dict(specs or {})))


def _claims(data: bytes, files: Files, specs: dict[str, str]) -> Iterator[Claim]:
    from tracer.reread import drawings, exports, pages, texts

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return exports.scip(data, files)
    head = text[:400].lstrip()
    if head.startswith("{") and (document := _document(text)) is not None:
        return exports.sarif(document) if "runs" in document else claims_of(_ours(document))
    if head.startswith("["):
        return exports.quality(text, files, specs)
    if head.startswith('{"source"'):
        return exports.jsonl(text, files, specs)
    if head.startswith("digraph tracer {"):
        return exports.dot(text, files, specs)
    if "<graphml" in head:
        return exports.graphml(text, files, specs)
    if head.startswith(("flowchart ", "// ", "digraph path {", "<?xml", "<svg")) and drawings.is_drawing(text):
        return drawings.claims(text, files, specs)
    if head[:15].lower().startswith(("<!doctype html", "<div>", "<html", "<svg", "<?xml")):
        return pages.claims(text, files, specs)
    if "\0" in text:
        return exports.scip(data, files)
    return texts.claims(text, files, specs)


def _document(text: str) -> dict[str, Any] | None:
    """A JSON object, or None where each line is one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.count("\n{") and text.startswith('{"source"'):
            return None
        raise UsageError(f"cannot be read ({error})", todo=TODO) from error
    return found if isinstance(found, dict) and "source" not in found else None


def _ours(document: dict[str, Any]) -> dict[str, Any]:
    if not str(document.get("schema", "")).startswith("tracer."):
        raise UsageError("is no document of Tracer's", todo=TODO)
    return document


def files_of(place: Path) -> list[Path]:
    """The files of a report or a site that may hold evidence; a file is itself."""
    if not place.is_dir():
        return [place]
    found = sorted(p for p in place.rglob("*") if p.suffix in SUFFIXES and p.is_file() and not p.is_symlink())
    return [p for p in found if p.relative_to(place).parts[0] != "assets" and p.name != "atlas.json"]
