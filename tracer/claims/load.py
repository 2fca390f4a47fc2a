"""rules/questions/<engine>/*.yaml → claims. `SHAPES` is the shape of every predicate; nothing is checked here.

Takes parsed YAML; makes frozen claims, or a one-line `RuleError` that names the claim and what to write instead.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema

from tracer import catalog
from tracer.claims.model import Claim, Pick, Predicate, Selector
from tracer.errors import RuleError
from tracer.model import ACTIONS, LAYERS, ROLES
from tracer.rules import cue_of, range_of, read_yaml, text_of


class Shape(NamedTuple):
    """What a predicate takes: selectors it needs, selectors it may have, plain options; `one_of` must be there."""

    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()


SHAPES: Mapping[str, Shape] = {
    "exists": Shape(("what",), options=("count",)),
    "absent": Shape(("what",), may=("near",)),
    "only_in": Shape(("what",), may=("with",), options=("in", "within"), one_of=("in", "within", "with")),
    "writers_are": Shape((), may=("with",), options=("state", "in", "within"), one_of=("in", "within", "with")),
    "same_field": Shape((), options=("state", "does")),
    "order": Shape(("first", "then"), options=("exceptions",)),
    "dominates": Shape(("first", "then"), options=("exceptions",)),
    "followed_by": Shape(("first", "then"), options=("exceptions", "present")),
    "never_follows": Shape(("first", "then")),
    "pairs_closed": Shape((), options=("pair", "missing", "in"), one_of=("pair",)),
    "guarded_by": Shape(("what",), may=("by",), options=("guard", "not_guard", "some"),
                        one_of=("by", "guard", "not_guard")),
    "reaches": Shape(("from", "to"), options=("through",)),
    "not_reaches": Shape(("from", "to")),
    "value_is": Shape((), options=("of", "parameter", "setting", "in", "is", "matches", "members"),
                      one_of=("is", "matches", "members")),
}  # fmt: skip
COMPOSED = ("all", "any")


class Folder(NamedTuple):
    """The files of one engine's folder: (name relative to the questions folder, parsed content, number of the root)."""

    engine: str
    files: tuple[tuple[str, Mapping[str, Any], int], ...]


def read_folder(engine: str, extra: Sequence[Path] = ()) -> Folder:
    """Every file of `rules/questions/<engine>/`, also in the user's own rules folders, checked against the schema."""
    files = []
    for number, root in enumerate((catalog.shipped("rules"), *extra)):
        base = root / "questions"
        for file in sorted((base / engine).glob("*.yaml")):
            where = file.relative_to(base).as_posix()
            data = read_yaml(file, where) or {}
            check_schema(data, where)
            files.append((where, data, number))
    return Folder(engine, tuple(files))


def check_schema(data: Any, where: str, shape: str = "file") -> None:
    """`RuleError` with the first thing that does not follow `rules/questions/schema.json`."""
    errors = sorted(_validator(shape).iter_errors(data), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        at = "/".join(str(p) for p in errors[0].absolute_path)
        what = f"{errors[0].message[:200]} (at {at or 'top'})"
        raise RuleError(what, where=where, todo="see rules/questions/README.md")


@functools.lru_cache
def _validator(shape: str) -> jsonschema.Draft202012Validator:
    """A validator for one shape of the questions' schema; cues are the rules' own."""
    questions = json.loads((catalog.shipped("rules") / "questions" / "schema.json").read_text(encoding="utf-8"))
    rules = json.loads((catalog.shipped("rules") / "schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{shape}", "$defs": rules["$defs"] | questions["$defs"]})


def claims_of(folder: Folder) -> tuple[Claim, ...]:
    """The claims of a folder, sorted by id; `RuleError` for an id used twice or a predicate of wrong shape."""
    named: dict[str, Any] = {}
    for where, data, _ in folder.files:
        for name, item in (data.get("selectors") or {}).items():
            if name in named:
                raise RuleError(f"selector {name} is named twice", where=where, todo="rename one of them")
            named[name] = item
    claims: dict[str, Claim] = {}
    for where, data, _ in folder.files:
        for item in data.get("claims") or []:
            claim = claim_of(item, folder.engine, where, named)
            if claim.id in claims:
                raise RuleError(f"claim id {claim.id} is used twice", where=where, todo="rename one of them")
            claims[claim.id] = claim
    return tuple(claims[k] for k in sorted(claims))


def claim_of(item: Mapping[str, Any], engine: str, where: str, named: Mapping[str, Any] | None = None) -> Claim:
    """One claim. Everything that is not about the claim itself is its predicate."""
    reader = _Reader(item["id"], where, named or {})
    said = {k: v for k, v in item.items() if k not in ("id", "text", "versions", "when")}
    return Claim(
        id=item["id"],
        text=text_of(item["text"]),
        predicate=reader.predicate(said),
        engine=engine,
        file=where,
        versions=range_of(item.get("versions", ""), item["id"], where),
        when=reader.selector(item["when"]) if "when" in item else None,
    )


class _Reader:
    """Reads the predicates and selectors of one claim."""

    def __init__(self, claim: str, where: str, named: Mapping[str, Any]) -> None:
        self.claim, self.where, self.named = claim, where, named
        self._open: list[str] = []

    def wrong(self, what: str, todo: str) -> RuleError:
        return RuleError(f"{self.claim}: {what}", where=self.where, todo=todo)

    def predicate(self, item: Mapping[str, Any]) -> Predicate:
        known = (*SHAPES, *COMPOSED)
        kinds = [k for k in item if k in known]
        if len(kinds) != 1 or len(item) != 1:
            odd = ", ".join(k for k in item if k not in known) or ", ".join(kinds) or "none"
            raise self.wrong(f"needs exactly one predicate (has {odd})", f"use one of {', '.join(known)}")
        (kind,) = kinds
        body = item[kind]
        if kind in COMPOSED:
            if not isinstance(body, list) or not body:
                raise self.wrong(f"{kind} needs a list of predicates", "write `- exists: …` items")
            return Predicate(kind, inner=tuple(self.predicate(i) for i in body))
        return self._simple(kind, SHAPES[kind], body)

    def _simple(self, kind: str, shape: Shape, body: Any) -> Predicate:
        if shape.needs == ("what",) and (not isinstance(body, dict) or "what" not in body):
            body = self._inline(kind, body)
        if not isinstance(body, dict):
            raise self.wrong(f"{kind} needs a mapping", f"give it {', '.join(shape.needs or shape.options)}")
        selectors = (*shape.needs, *shape.may)
        for key in body:
            if key not in selectors and key not in shape.options:
                raise self.wrong(f"{kind} takes no {key!r}", f"it takes {', '.join((*selectors, *shape.options))}")
        missing = [k for k in shape.needs if k not in body]
        if missing or (shape.one_of and not any(k in body for k in shape.one_of)):
            raise self.wrong(f"{kind} lacks {' or '.join(missing or shape.one_of)}", "add it")
        options = {k: _plain(v) for k, v in body.items() if k in shape.options}
        for key in ("guard", "not_guard", "matches"):
            self._regex(key, options.get(key, ""))
        if kind in ("same_field", "writers_are") and not options.get("state"):
            raise self.wrong(f"{kind} needs a state", "add `state: Class.field`")
        if kind == "value_is" and not any(k in options for k in ("of", "parameter", "setting")):
            raise self.wrong("value_is says not of what", "add `of:`, `parameter:` or `setting:`")
        parts = {k: self.selector(body[k]) for k in selectors if k in body}
        if kind == "same_field":
            does = body.get("does")
            if not isinstance(does, list) or len(does) < 2:
                raise self.wrong("same_field needs `does`, a list of at least two cues", "write `- {op: insert}` items")
            options.pop("does")
            parts = {f"does {n}": self.selector({"state": body["state"], **cue}) for n, cue in enumerate(does, 1)}
        if kind == "writers_are":
            change = ["write", "augment", "insert", "remove", "clear"]
            parts["what"] = self.selector({"state": body["state"], "op": change, "init": False})
        return Predicate(kind, parts, options)

    def _inline(self, kind: str, body: Any) -> dict[str, Any]:
        """`exists: {op: insert, state: X.f, count: 2}` → the selector under `what`, options beside it."""
        if isinstance(body, list) or kind == "guarded_by" or not isinstance(body, dict):
            return {"what": body}
        apart = ("count", "near") if kind in ("exists", "absent") else ()
        return {"what": {k: v for k, v in body.items() if k not in apart}} | {k: body[k] for k in apart if k in body}

    def _regex(self, key: str, value: Any) -> None:
        try:
            re.compile(str(value))
        except re.error as error:
            raise self.wrong(f"{key} is no regular expression ({error})", "mend it") from error

    # -- selectors -------------------------------------------------------------------
    def selector(self, item: Any) -> Selector:
        items = item if isinstance(item, list) else [item]
        return Selector(tuple(pick for i in items for pick in self._picks(i)))

    def _picks(self, item: Any) -> Iterable[Pick]:
        if not isinstance(item, dict):
            raise self.wrong(f"{str(item)[:60]!r} is no selector", "write a cue, `use:`, `rule:`, `role:` or `text:`")
        if "use" in item:
            name = item["use"]
            if name not in self.named or len(item) > 1 or name in self._open:
                known = ", ".join(sorted(self.named)) or "none"
                raise self.wrong(f"`use: {name}` names no selector alone", f"known selectors: {known}")
            self._open.append(name)
            found = self.selector(self.named[name])
            self._open.pop()
            return found.picks
        if "rule" in item or "role" in item:
            check_schema(item, f"{self.where}: {self.claim}", "sites")
            role, action, layer = item.get("role", ""), item.get("action", ""), item.get("layer", "")
            known_actions = ACTIONS.get(role) or tuple(a for actions in ACTIONS.values() for a in actions)
            for value, names in ((role, ROLES), (action, known_actions), (layer, LAYERS)):
                if value and value not in names:
                    raise self.wrong(f"there is no {value!r}", f"known: {', '.join(dict.fromkeys(names))}")
            files, others = _files(item)
            return [Pick(None, item.get("rule", ""), role, action, layer, "", files, others)]
        if "text" in item:
            check_schema(item, f"{self.where}: {self.claim}", "lines")
            self._regex("text", item["text"])
            files, others = _files(item)
            return [Pick(text=item["text"], files=files, not_files=others)]
        check_schema(item, f"{self.where}: {self.claim}", "cue")
        return [Pick(cue=cue_of(item, (), self.claim, self.where))]


def _files(item: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    wanted, others = ((v,) if isinstance(v, str) else tuple(v) for v in (item.get("in", ()), item.get("not_in", ())))
    return wanted, others


def _plain(value: Any) -> Any:
    """A list as a tuple; anything else as it is."""
    return tuple(value) if isinstance(value, list) else value
