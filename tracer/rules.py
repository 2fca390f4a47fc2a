"""rules/*.yaml → Rule: what state carries a role, and which operations on it play which action.

Takes rule files (shipped and `--rules DIR`), checks them against `rules/schema.json`, and gives frozen records.
It knows nothing of engines or of how a cue is matched (`roles.py` does).
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from tracer import catalog
from tracer.errors import RuleError
from tracer.model import ACTIONS
from tracer.targets import UNREADABLE, number_of

OTHERS = ("crossings", "pairs", "paths", "questions", "walks")  # folders of rules/ that hold other data
MAX_RULE_FILE_BYTES = 1 << 20  # a rule file is written by hand; more is an attack or a mistake


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A safe loader (the C one if there is one) that reads only true/false as booleans: `on:` stays a word."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, rx) for tag, rx in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence in English and, where given, in Chinese."""

    en: str = ""
    zh: str = ""


@dataclass(frozen=True, slots=True)
class Cue:
    """One way to recognise an action. `matcher` is one of MATCHERS, `patterns` what it looks for."""

    matcher: str
    patterns: tuple[str, ...]  # ops for matcher op, mark kinds for mark, else symbol patterns
    state: tuple[str, ...] = ()  # `Class.field`, or `{selector}` for a state derived from how code uses it
    on: tuple[str, ...] = ()
    value: str = ""
    args: str = ""
    test: bool = False
    against: str = ""
    guard: str = ""
    not_guard: str = ""
    within: tuple[str, ...] = ()
    not_within: tuple[str, ...] = ()
    with_: tuple[Cue, ...] = ()
    without: tuple[Cue, ...] = ()
    after: tuple[Cue, ...] = ()
    before: tuple[Cue, ...] = ()
    thread: bool | None = None
    init: bool | None = None
    files: tuple[str, ...] = ()
    not_files: tuple[str, ...] = ()
    pick: str = "all"
    lift: int = 0
    keep: bool = True
    lift_in: tuple[str, ...] = ()
    lift_to: tuple[str, ...] = ()
    lift_via: tuple[str, ...] = ()
    lift_on: tuple[str, ...] = ()
    lift_guard: str = ""
    lift_not_guard: str = ""
    at: str = "statement"
    layer: str = ""
    why: Text = Text()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: the state that carries a role on one layer, its actions as cues, and how many sites it expects."""

    id: str
    role: str
    layer: str
    actions: tuple[tuple[str, tuple[Cue, ...]], ...]
    engine: str
    file: str  # rule file, relative to its rules folder
    stack: str = ""
    versions: str = ""
    files: tuple[str, ...] = ()
    not_files: tuple[str, ...] = ()
    why: Text = Text()
    guards_what: Text = Text()
    live: Text = Text()
    expect: tuple[tuple[str, str], ...] = ()

    def applies_to(self, version: str) -> bool:
        """Whether `version` (a pin's name) lies in the rule's range."""
        return in_range(self.versions, version)


def in_range(versions: str, version: str) -> bool:
    """Whether `version` (a pin's name) lies in the range `versions` ("" = any); see `targets.number_of` for commits."""
    return not versions or SpecifierSet(versions, prereleases=True).contains(number_of(version))


def rules_for(engine: str, version: str, extra: Sequence[Path] = ()) -> tuple[Rule, ...]:
    """All rules of `engine` that apply to `version`, sorted by id. `extra` are folders of the user's own rules."""
    return tuple(r for r in _loaded(engine, tuple(extra)) if r.applies_to(version))


def all_rules(extra: tuple[Path, ...] = ()) -> tuple[Rule, ...]:
    """Every rule shipped or found in `extra`, sorted by id; `RuleError` for a bad file or an id used twice."""
    return _loaded("*", tuple(extra))


@functools.lru_cache
def _loaded(engine: str, extra: tuple[Path, ...]) -> tuple[Rule, ...]:
    """The rules in the folder of `engine` ("*": every folder), so that a question checks no other engine's files."""
    rules: dict[str, Rule] = {}
    for root in (catalog.shipped("rules"), *extra):
        for file in sorted(root.glob(f"{engine}/*.yaml")):
            if file.parent.name in OTHERS:
                continue
            for rule in load_file(file, root):
                if rule.id in rules:
                    raise RuleError(f"rule id {rule.id} is used twice", where=rule.file, todo="rename one of them")
                rules[rule.id] = rule
    return tuple(rules[k] for k in sorted(rules))


def load_file(file: Path, root: Path) -> tuple[Rule, ...]:
    """The rules of one YAML file; the engine is the folder's name."""
    where = file.relative_to(root).as_posix()
    data = read_yaml(file, where)
    if not data:
        raise RuleError("holds no rule", where=where, todo="write one, or remove the file")
    _check_schema(data, where)
    return tuple(_rule(item, file.parent.name, where) for item in data)


def read_yaml(file: Path, where: str) -> Any:
    """Parse one YAML file safely: of limited size, no aliases (a bomb needs them), no tags; one-line `RuleError`."""
    try:
        if file.stat().st_size > MAX_RULE_FILE_BYTES:
            raise RuleError("file is larger than 1 MiB", where=where, todo="split it")
        text = file.read_text(encoding="utf-8")
        if any(isinstance(e, yaml.AliasEvent) for e in yaml.parse(text, Loader=_Loader)):
            raise RuleError("YAML aliases are not allowed here", where=where, todo="write the value out")
        return yaml.load(text, Loader=_Loader)  # noqa: S506  (a safe loader, see below)
    except UNREADABLE as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RuleError(f"cannot be read ({reason})", where=where, todo="mend the YAML") from error


def _check_schema(data: Any, where: str) -> None:
    errors = sorted(_validator().iter_errors(data), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        at = "/".join(str(p) for p in errors[0].absolute_path)
        raise RuleError(f"{errors[0].message[:200]} (at {at or 'top'})", where=where, todo="see rules/schema.json")


@functools.lru_cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((catalog.shipped("rules") / "schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _rule(item: Mapping[str, Any], engine: str, where: str) -> Rule:
    role = item["role"]
    for action in item["actions"]:
        if action not in ACTIONS[role]:
            known = ", ".join(ACTIONS[role])
            raise RuleError(f"{item['id']}: {role} has no action {action}", where=where, todo=f"use one of {known}")
    state = _states(item.get("state"))
    return Rule(
        id=item["id"],
        role=role,
        layer=item["layer"],
        engine=engine,
        file=where,
        actions=tuple(
            (a, tuple(cue_of(c, state, item["id"], where) for c in _many(cs))) for a, cs in item["actions"].items()
        ),
        stack=item.get("stack", ""),
        versions=range_of(item.get("versions", ""), item["id"], where),
        files=strings(item.get("in")),
        not_files=strings(item.get("not_in")),
        why=text_of(item.get("why")),
        guards_what=text_of(item.get("guards_what")),
        live=text_of(item.get("live")),
        expect=tuple(sorted((item.get("expect") or {}).items())),
    )


def range_of(versions: str, item: str, where: str) -> str:
    """`versions` if it is a version range (or ""); else a `RuleError` that names the item."""
    try:
        SpecifierSet(versions)
    except InvalidSpecifier as error:
        raise RuleError(f"{item}: versions {versions!r} is no range", where=where, todo="write >=1.2,<2") from error
    return versions


MATCHERS = ("op", "call", "construct", "define", "override", "decorator", "mark", "shape")


def cue_of(item: Mapping[str, Any], state: tuple[str, ...], rule_id: str, where: str) -> Cue:
    """One cue of `rule_id` (already checked against the schema); `state` is what it is about if it does not say."""
    matchers = [m for m in MATCHERS if m in item]
    if len(matchers) != 1:
        raise RuleError(f"{rule_id}: a cue needs exactly one of {', '.join(MATCHERS)}", where=where)
    matcher = matchers[0]
    own_state = _states(item.get("state")) or state
    if matcher == "op" and not own_state:
        raise RuleError(f"{rule_id}: an op cue needs a state", where=where, todo="add `state: Class.field`")
    for key in ("value", "args", "guard", "not_guard", "lift_guard", "lift_not_guard"):
        try:
            re.compile(item.get(key, ""))
        except re.error as error:
            raise RuleError(f"{rule_id}: {key} is no regular expression ({error})", where=where) from error
    nested = {
        k: tuple(cue_of(c, own_state, rule_id, where) for c in _many(item.get(k)))
        for k in ("with", "without", "after", "before")
    }
    return Cue(
        matcher=matcher,
        patterns=strings(item[matcher]),
        state=own_state,
        on=strings(item.get("on")),
        value=item.get("value", ""),
        args=item.get("args", ""),
        test=item.get("test", False),
        against=item.get("against", ""),
        guard=item.get("guard", ""),
        not_guard=item.get("not_guard", ""),
        within=strings(item.get("within")),
        not_within=strings(item.get("not_within")),
        with_=nested["with"],
        without=nested["without"],
        after=nested["after"],
        before=nested["before"],
        thread=item.get("thread"),
        init=item.get("init"),
        files=strings(item.get("in")),
        not_files=strings(item.get("not_in")),
        pick=item.get("pick", "all"),
        lift=item.get("lift", 0),
        keep=item.get("keep", True),
        lift_in=strings(item.get("lift_in")),
        lift_to=strings(item.get("lift_to")),
        lift_via=strings(item.get("lift_via")),
        lift_on=strings(item.get("lift_on")),
        lift_guard=item.get("lift_guard", ""),
        lift_not_guard=item.get("lift_not_guard", ""),
        at=item.get("at", "def" if matcher in ("define", "override", "decorator") else "statement"),
        layer=item.get("layer", ""),
        why=text_of(item.get("why")),
    )


def enough(count: int, want: str) -> bool:
    """Whether `count` is what an `expect` wants: `>=2`, `==1`, `<=3`, or a bare number for at least so many."""
    found = re.match(r"(>=|==|<=)?(\d+)", want)
    assert found
    op, n = found[1] or ">=", int(found[2])
    return count >= n if op == ">=" else count == n if op == "==" else count <= n


def cues_of(value: Any, state: tuple[str, ...], rule_id: str, where: str) -> tuple[Cue, ...]:
    """The cues of one action, given as one or as a list; `state` is for those without a state of their own."""
    return tuple(cue_of(c, state, rule_id, where) for c in _many(value))


def strings(value: Any) -> tuple[str, ...]:
    """One string, a list of them or nothing, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value or ())


def _states(value: Any) -> tuple[str, ...]:
    """State patterns; a derived selector (`{index_of_lookup: true}`) becomes `{index_of_lookup}`."""
    if isinstance(value, Mapping):
        return tuple(f"{{{name}}}" for name in value)
    return strings(value)


def _many(value: Any) -> Iterable[Mapping[str, Any]]:
    return value if isinstance(value, list) else [value] if value else []


def text_of(value: Any) -> Text:
    """A sentence as YAML gives it: a string, or a mapping by language."""
    return Text(en=value) if isinstance(value, str) else Text(**value) if value else Text()


def describe(cue: Cue) -> str:
    """A cue in words."""
    said = [f"{cue.matcher} {' | '.join(cue.patterns)}"]
    if cue.matcher == "op":
        said[0] += f" of {' | '.join(cue.state)}"
    for name in ("on", "value", "args", "guard", "not_guard", "within", "not_within", "against", "lift_to", "lift_in"):
        value = getattr(cue, name)
        if value:
            said.append(f"{name.replace('_', ' ')} {' | '.join(value) if isinstance(value, tuple) else value}")
    for name in ("with_", "without", "after", "before"):
        said += [f"{name.rstrip('_')} ({describe(inner)})" for inner in getattr(cue, name)]
    if cue.test:
        said.append("inside a test")
    if cue.lift:
        said.append(f"and its callers up to {cue.lift} levels{'' if cue.keep else ' instead of it'}")
    return ", ".join(said)
