"""rules/pairs/*.yaml → PairRule: what is acquired and released on one state, and who may hold it between.

Takes the shipped folder and the user's own; checks against `rules/pairs.schema.json`, whose cues are those of
`rules/schema.json`. Gives frozen records; what a cue means in an engine is `ledger.py`'s.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from tracer import catalog
from tracer.errors import RuleError, UsageError
from tracer.model import ROLES
from tracer.rules import Cue, Rule, cues_of, range_of, read_yaml, strings, text_of

KINDS = ("acquire", "held", "release", "end", "keep", "drop")
DEPTH = 3


@dataclass(frozen=True, slots=True)
class PairRule:
    """One pair. `rule` carries id, role, files and versions, and as actions the cues of each of KINDS."""

    rule: Rule
    result: str = "truthy"
    known_by: str = ""
    depth: int = DEPTH
    exceptions: bool = False
    expect: str = ""

    @property
    def id(self) -> str:
        """The rule's id."""
        return self.rule.id

    def cues(self, kind: str) -> tuple[Cue, ...]:
        """The cues of one of KINDS."""
        return dict(self.rule.actions).get(kind, ())


def pair_rules(what: str, engine: str, version: str, extra: Sequence[Path] = ()) -> tuple[PairRule, ...]:
    """The pairs of `engine` that `what` names: a role, a rule's id (or the start of several), or "all".

    `UsageError` with the known names where it names none; a rule of another version than `version` is left out.
    """
    known = _loaded(engine, tuple(extra))
    if not known:
        raise UsageError(f"{engine} has no pairs yet", todo=f"write pairs/{engine}.yaml in a folder for --rules")
    named = [r for r in known if what in ("all", r.rule.role, r.id) or r.id.startswith(what.rstrip(".") + ".")]
    if not named and what not in ROLES:
        from tracer.targets import nearest

        names = ["all", *sorted({r.rule.role for r in known}), *(r.id for r in known)]
        near = nearest(what, names)
        todo = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
        raise UsageError(f"{engine} has no pair {what!r}", todo=todo)
    return tuple(r for r in named if r.rule.applies_to(version))


@functools.lru_cache
def _loaded(engine: str, extra: tuple[Path, ...]) -> tuple[PairRule, ...]:
    rules: dict[str, PairRule] = {}
    for root in (catalog.shipped("rules"), *extra):
        file = root / "pairs" / f"{engine}.yaml"
        if not file.is_file():
            continue
        where = file.relative_to(root).as_posix()
        data = read_yaml(file, where)
        _check(data, where)
        for item in data or []:
            rule = _pair(item, engine, where)
            rules[rule.id] = rule  # a folder of the user's own may replace a shipped pair
    return tuple(rules[k] for k in sorted(rules))


def _check(data: Any, where: str) -> None:
    errors = sorted(_validator().iter_errors(data or []), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        at = "/".join(str(p) for p in errors[0].absolute_path)
        todo = "see rules/pairs.schema.json"
        raise RuleError(f"{errors[0].message[:200]} (at {at or 'top'})", where=where, todo=todo)


@functools.lru_cache
def _validator() -> jsonschema.Draft202012Validator:
    root = catalog.shipped("rules")
    schema = json.loads((root / "pairs.schema.json").read_text(encoding="utf-8"))
    schema["$defs"] = json.loads((root / "schema.json").read_text(encoding="utf-8"))["$defs"]
    return jsonschema.Draft202012Validator(schema)


def _pair(item: Mapping[str, Any], engine: str, where: str) -> PairRule:
    name, state = item["id"], strings(item.get("state"))
    cues = {kind: cues_of(item.get(kind), state, name, where) for kind in KINDS}
    owners, receipts = strings(item.get("owners")), strings(item.get("receipts"))
    if owners or receipts:
        cues["keep"] += cues_of({"op": ["insert", "write"], "state": [*owners, *receipts]}, (), name, where)
    if receipts:
        cues["drop"] += cues_of({"op": "remove", "state": [*receipts]}, (), name, where)
    if not (cues["acquire"] or cues["held"] or cues["drop"]):
        raise RuleError(f"{name}: nothing is acquired", where=where, todo="add acquire, held, drop or receipts")
    rule = Rule(
        id=name,
        role=item["role"],
        layer=item["layer"],
        actions=tuple(cues.items()),
        engine=engine,
        file=where,
        stack=item.get("stack", ""),
        versions=range_of(item.get("versions", ""), name, where),
        files=strings(item.get("in")),
        not_files=strings(item.get("not_in")),
        why=text_of(item.get("why")),
    )
    return PairRule(rule, item.get("result", "truthy"), item.get("known_by", ""), item.get("depth", DEPTH),
                    item.get("exceptions", False), item.get("expect", ""))
