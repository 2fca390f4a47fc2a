"""Findings as SARIF 2.1.0, in the shape that code hosts accept.

Takes findings, the revisions they are of and what their rules say; makes one log with one run. What hosts ask for
beyond the schema: file names relative to the repository (`%SRCROOT%`), rules with a text each, a fingerprint that
stays when lines move, and no more of anything than they read.
"""

from __future__ import annotations

import urllib.parse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tracer import __version__
from tracer.model import EngineRevision, digest_of
from tracer.render.findings import Finding, Place, spans
from tracer.render.grouping import short_symbol
from tracer.targets import target

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
MOST = 25_000  # results in a run that a code host still reads; what is left out is said
_TEXT = 1000  # characters of a rule's text that hosts show


@dataclass(frozen=True, slots=True)
class RuleText:
    """What one rule says: in a line, at length, and the words it is filed under."""

    short: str
    full: str = ""
    help: str = ""
    level: str = "warning"
    tags: tuple[str, ...] = field(default=())


DIFF_RULES: Mapping[str, RuleText] = {
    f"diff.{kind}": RuleText(short, full, level=level, tags=("kv-cache", "diff"))
    for kind, level, short, full in (
        ("removed", "error", "A place of a role is gone", "What did this before is done nowhere in the later version."),
        ("claim", "error", "A claim no longer holds", "A statement about the engine has another verdict than before."),
        ("guard", "warning", "A place is under other conditions", "It is reached under other conditions than before."),
        ("path", "warning", "A place is done another way", "The decisive statement or its inputs read differently."),
        ("added", "warning", "A place of a role is new", "The later version does this where the earlier did not."),
        ("renamed", "note", "A place has another name", "The same code under another name."),
        ("moved", "note", "A place lies elsewhere", "The same code in another file or class."),
    )
}


def log(
    command: str,
    engines: Sequence[EngineRevision],
    rules: Mapping[str, RuleText],
    found: Sequence[Finding],
    gaps: Iterable[str] = (),
) -> dict[str, Any]:
    """The SARIF log of one command; `engines` are what was read, the one whose files are named last.

    A rule without a text in `rules` is named by its id. `gaps` become notifications: the run was made, with holes; so
    do findings without a file, because hosts refuse a result that has no place.
    """
    lost = [{"level": f.level, "message": {"text": f"{f.rule}: {f.message}"}} for f in found if not f.place.file]
    found = [f for f in found if f.place.file]
    named = sorted({f.rule for f in found} | rules.keys())
    index = {rule: i for i, rule in enumerate(named)}
    said = [*gaps, *([f"{len(found) - MOST} of {len(found)} results are left out"] if len(found) > MOST else [])]
    notes = [*lost, *({"level": "note", "message": {"text": gap}} for gap in said)]
    read = engines[-1]
    run: dict[str, Any] = {
        "tool": {"driver": _driver(named, rules)},
        "automationDetails": {"id": f"tracer/{command}/{read.name}/"},
        "invocations": [{"executionSuccessful": True} | ({"toolExecutionNotifications": notes} if notes else {})],
        "originalUriBaseIds": {ROOT: {"description": {"text": f"The root of {read.name}'s repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": _results(found[:MOST], index),
        "properties": {"engines": [_engine(e) for e in engines]},
    }
    origin = _origin(read)
    if origin:
        run["versionControlProvenance"] = [origin]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver(named: Sequence[str], rules: Mapping[str, RuleText]) -> dict[str, Any]:
    return {
        "name": "Tracer",
        "semanticVersion": __version__,
        "rules": [_rule(rule, rules.get(rule) or RuleText(rule)) for rule in named],
    }


def _rule(rule: str, text: RuleText) -> dict[str, Any]:
    said = text.help or text.full or text.short
    return {
        "id": rule,
        "name": "".join(part[:1].upper() + part[1:] for part in rule.replace("-", ".").replace("_", ".").split(".")),
        "shortDescription": {"text": text.short[:_TEXT]},
        "fullDescription": {"text": (text.full or text.short)[:_TEXT]},
        "help": {"text": said, "markdown": said},
        "defaultConfiguration": {"level": text.level},
        "properties": {"tags": list(text.tags)[:20], "precision": "high", "problem.severity": _severity(text.level)},
    }


def _severity(level: str) -> str:
    return "recommendation" if level == "note" else level


def _engine(e: EngineRevision) -> dict[str, Any]:
    return {"name": e.name, "version": e.version, "revision": {"kind": e.revision.kind, "digest": e.revision.digest}}


def _origin(read: EngineRevision) -> dict[str, Any]:
    """Which revision of which repository the names are of; a folder has none."""
    revision = read.revision
    if revision.kind == "folder":
        return {}
    repository = revision.url or target(read.name).url
    found: dict[str, Any] = {"repositoryUri": repository, "mappedTo": {"uriBaseId": ROOT}}
    found |= {"revisionId": revision.commit} if revision.commit else {}
    return found | ({"revisionTag": revision.tag} if revision.tag else {})


def _results(found: Sequence[Finding], index: Mapping[str, int]) -> list[dict[str, Any]]:
    seen: Counter[tuple[str, ...]] = Counter()
    out = []
    for f in found:
        seen[f.key] += 1
        mark = f"{digest_of(chr(0).join(f.key))}:{seen[f.key]}"
        result: dict[str, Any] = {
            "ruleId": f.rule,
            "ruleIndex": index[f.rule],
            "level": f.level,
            "message": {"text": f.message},
            "locations": [_location(f.place, symbol=f.symbol)],
            # The second is the one that hosts compare; without it they would make one of the line's text.
            "partialFingerprints": {"tracer/v1": mark, "primaryLocationLineHash": mark},
        }
        if f.related:
            result["relatedLocations"] = [_location(p, number=i) for i, p in enumerate(f.related, start=1)]
        if len(f.way) > 1:
            result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": _location(p)} for p in spans(f.way)]}]}]
        out.append(result)
    return out


def _location(place: Place, *, symbol: str = "", number: int = 0) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": urllib.parse.quote(place.file), "uriBaseId": ROOT}}
    if place.first:
        where["region"] = {"startLine": place.first, "endLine": max(place.last, place.first)}
    found: dict[str, Any] = {"id": number} if number else {}
    found["physicalLocation"] = where
    if symbol:
        found["logicalLocations"] = [{"fullyQualifiedName": symbol, "name": short_symbol(symbol)}]
    return found | ({"message": {"text": place.says}} if place.says else {})
