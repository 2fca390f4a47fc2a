"""What other programs read → claims: SARIF, SCIP, and graphs as JSON lines, GraphML or DOT."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

from tracer.cited import Claim
from tracer.errors import UsageError
from tracer.files import Files, ReadFile
from tracer.reread.texts import Spoken, place, unnamed

_TEXT = r'"((?:[^"\\]|\\.)*)"'  # of DOT
_DOT_EDGE = re.compile(rf"  {_TEXT} -> {_TEXT} \[label={_TEXT} file={_TEXT} line=(\d+)(?: via={_TEXT})?\];$")


def sarif(document: Mapping[str, Any]) -> Iterator[Claim]:
    """The locations of every result: its own, those related, and the ways that lead there."""
    try:
        for run in document["runs"]:
            engines = [(e["name"], e["version"]) for e in run["properties"]["engines"]]
            for result in run["results"]:
                said = str(result["message"]["text"])
                gone = next((e for e in engines if f"lines of {e[1]}, which" in said), engines[-1])
                symbol = ""
                for found in result["locations"]:
                    symbol = str((found.get("logicalLocations") or [{}])[0].get("fullyQualifiedName", ""))
                    yield _location(found, gone, symbol)
                for found in result.get("relatedLocations", ()):
                    told = str(found.get("message", {}).get("text", ""))
                    other = next((e for e in engines if told == f"in {e[1]}"), None)
                    yield _location(found, other or gone, "" if other else symbol)
                for flow in result.get("codeFlows", ()):
                    for step in flow["threadFlows"][0]["locations"]:
                        yield _location(step["location"], gone, symbol)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise UsageError(f"is no SARIF of Tracer's ({error!r})", todo="save one with --format sarif") from error


def _location(found: Mapping[str, Any], engine: tuple[str, str], symbol: str) -> Claim:
    where = found["physicalLocation"]
    region = where.get("region", {})
    first = int(region.get("startLine", 1))
    file = unquote(str(where["artifactLocation"]["uri"]))
    return Claim(*engine, symbol, file, first, int(region.get("endLine", first)), "")


def quality(text: str, files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """The place of every issue of a code-quality report, in the function that it names."""
    if not specs:
        raise unnamed()
    try:
        for issue in json.loads(text):
            lines, said = issue["location"]["lines"], Spoken([*specs.items()])
            named = re.search(r"lines of (\S+), which", issue["description"])
            words: list[str] = re.findall(r"[\w~]+(?:(?:\.|::)[\w~]+)+", issue["description"])
            where = (str(issue["location"]["path"]), int(lines["begin"]), int(lines["end"]))
            yield place(*where, words, named[1] if named else "", said, files, inside=True)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        todo = "save one with --format codequality"
        raise UsageError(f"is no report of Tracer's ({error!r})", todo=todo) from error


def jsonl(text: str, files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """The line of every edge, in the function that it starts from."""
    for line in filter(None, text.split("\n")):
        try:
            row = json.loads(line)
            ends = (str(row["source"]), str(row["target"]))
            yield _edge(ends, str(row.get("via", "")), row["file"], int(row["line"]), files, specs)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            todo = "save one with `tracer graph --format jsonl`"
            raise UsageError(f"is no graph of Tracer's ({error!r})", todo=todo) from error


def graphml(text: str, files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """The same of GraphML."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UsageError("is no GraphML of Tracer's: it declares entities", todo="save it again")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - entities are refused above
        of = {k.get("id"): k.get("attr.name") for k in root.iter() if k.tag.endswith("}key")}
        for edge in (e for e in root.iter() if e.tag.endswith("}edge")):
            data = {of.get(d.get("key")): d.text or "" for d in edge if d.tag.endswith("}data")}
            ends = (edge.get("source", ""), edge.get("target", ""))
            yield _edge(ends, data.get("via", ""), data["file"], int(data["line"]), files, specs)
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        todo = "save one with `tracer graph --format graphml`"
        raise UsageError(f"is no graph of Tracer's ({error!r})", todo=todo) from error


def dot(text: str, files: Files, specs: Mapping[str, str]) -> Iterator[Claim]:
    """The same of DOT."""
    for line in text.split("\n"):
        if not line.startswith('  "'):
            continue
        if not (row := _DOT_EDGE.match(line)):
            todo = "save one with `tracer graph --format dot`"
            raise UsageError(f"is no graph of Tracer's ({line[:60]!r})", todo=todo)
        source, target, _, file, at, via = (re.sub(r"\\(.)", r"\1", part or "") for part in row.groups())
        yield _edge((source, target), via, file, int(at), files, specs)


def _edge(ends: tuple[str, str], via: str, file: str, line: int, files: Files, specs: Mapping[str, str]) -> Claim:
    """The line of an edge is its source's; its target's where a result comes back, or where it is decorated."""
    if not specs:
        raise unnamed()
    engine = next((e for e, v in specs.items() if file in files.paths(e, v, file)), next(iter(specs)))
    read = files.read(engine, specs[engine], file)
    source, target = ends
    if via == "return" or (isinstance(read, ReadFile) and read.has(target, line) and not read.has(source, line)):
        source = target
    return Claim(engine, specs[engine], source, file, line, line, "")


def scip(data: bytes, files: Files) -> Iterator[Claim]:
    """Every occurrence of a SCIP index; its symbol names engine and version."""
    try:
        from google.protobuf.message import DecodeError

        from tracer.render.scip import parsed
    except ImportError as error:
        todo = "install it with `pip install 'kv-tracer[scip]'`"
        raise UsageError(f"SCIP needs protobuf, which is not here ({error.name})", todo=todo) from error
    try:
        found = list(parsed(data))
    except DecodeError as error:
        raise UsageError("is neither text nor a SCIP index", todo="name something that Tracer printed") from error
    for file, first, last, symbol, message in found:
        named = re.match(r"tracer \. (\S+) (\S+) ", symbol)
        if not named:
            raise UsageError("is no SCIP index of Tracer's", todo="save one with --format scip")
        words = [w for w in (message.rpartition(" in ")[2].partition(" [")[0],) if w]
        said = Spoken([(named[1], named[2])])
        yield place(file, first, last, words, "", said, files)
