"""rules/crossings/*.yaml → Declaration: how the two ends of a crossing are joined, where no code names both.

Takes the shipped files (one per engine, `any.yaml` for all), checks them against their schema, and gives frozen
records. It knows nothing of worlds; `ends.py` finds the ends and `declared.py` joins them.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from tracer import catalog
from tracer.errors import RuleError
from tracer.rules import in_range, read_yaml

ENDS = ("call", "define", "decorator", "op", "passes", "reads", "writes")


@dataclass(frozen=True, slots=True)
class End:
    """What one end looks like: `matcher` is one of ENDS, `patterns` what it looks for (see the schema)."""

    matcher: str
    patterns: tuple[str, ...]
    on: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    results: bool = False
    hands: str = ""  # "" no · "*" any argument · "0" or a keyword: that one
    args: str = ""
    named_by: End | None = None
    within: tuple[str, ...] = ()
    not_within: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    not_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared crossing: everything that matches `sources` reaches everything that matches `targets`."""

    id: str
    kind: str
    sources: tuple[End, ...]
    targets: tuple[End, ...]
    why: str
    versions: str = ""
    same: str = ""


def declarations_for(versions: Mapping[str, str]) -> tuple[Declaration, ...]:
    """The declarations for a world of these engines (name → version), sorted by id; `RuleError` for a bad file."""
    found = [d for engine, version in versions.items() for d in _file(engine) if in_range(d.versions, version)]
    return tuple(sorted({*found, *_file("any")}, key=lambda d: d.id))


@functools.lru_cache
def _file(engine: str) -> tuple[Declaration, ...]:
    root = catalog.shipped("rules")
    file = root / "crossings" / f"{engine}.yaml"
    return load(file, root) if file.is_file() else ()


def load(file: Path, root: Path) -> tuple[Declaration, ...]:
    """The declarations of one YAML file below the rules folder `root`."""
    where = file.relative_to(root).as_posix()
    data = read_yaml(file, where)
    errors = sorted(_validator().iter_errors(data or []), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        at = "/".join(str(p) for p in errors[0].absolute_path)
        raise RuleError(
            f"{errors[0].message[:200]} (at {at or 'top'})", where=where, todo="see rules/crossings/schema.json"
        )
    out = tuple(_declaration(item, where) for item in data or [])
    twice = sorted({d.id for d in out if sum(o.id == d.id for o in out) > 1})
    if twice:
        raise RuleError(f"crossing id {twice[0]} is used twice", where=where, todo="rename one of them")
    return out


@functools.lru_cache
def _validator() -> Any:
    import jsonschema

    schema = json.loads((catalog.shipped("rules") / "crossings" / "schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _declaration(item: Mapping[str, Any], where: str) -> Declaration:
    versions = item.get("versions", "")
    try:
        SpecifierSet(versions)
    except InvalidSpecifier as error:
        raise RuleError(f"{item['id']}: versions {versions!r} is no range", where=where) from error
    sources, targets = (tuple(_end(e, item["id"], where) for e in _many(item[side])) for side in ("from", "to"))
    if any(bool(e.key) != bool(sources[0].key) for e in (*sources, *targets)):
        raise RuleError(f"{item['id']}: give a key at every end or at none", where=where)
    return Declaration(item["id"], item["kind"], sources, targets, item["why"], versions, item.get("same", ""))


def _end(item: Mapping[str, Any], name: str, where: str) -> End:
    matcher = next(m for m in ENDS if m in item)
    if (matcher == "op") != ("state" in item):
        raise RuleError(f"{name}: op and state go together", where=where)
    if "on" in item and matcher != "call":
        raise RuleError(f"{name}: on goes with call", where=where)
    if item.get("results") and matcher != "writes":
        raise RuleError(f"{name}: results goes with writes", where=where)
    try:
        re.compile(item.get("args", ""))
    except re.error as error:
        raise RuleError(f"{name}: args is no regular expression ({error})", where=where) from error
    hands = item.get("hands", "")
    return End(
        matcher=matcher,
        patterns=_strings(item[matcher]),
        on=_strings(item.get("on")),
        state=_strings(item.get("state")),
        key=_strings(item.get("key")),
        results=item.get("results", False),
        hands="*" if hands is True else str(hands),
        args=item.get("args", ""),
        named_by=_end(item["named_by"], name, where) if "named_by" in item else None,
        within=_strings(item.get("within")),
        not_within=_strings(item.get("not_within")),
        files=_strings(item.get("in")),
        not_files=_strings(item.get("not_in")),
    )


def _many(value: Any) -> Iterable[Mapping[str, Any]]:
    return value if isinstance(value, list) else [value]


def _strings(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())
