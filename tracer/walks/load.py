"""`rules/walks/*.yaml` → notes and the five-minute story.

A note is attached by what rules and paths say (way-point, role, action, layer, rule, crossing), never by the name of a
function of an engine, nor by a line; the schema leaves no place for either.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema

from tracer import catalog
from tracer.errors import RuleError
from tracer.paths.routes import routes
from tracer.questions import bank, content
from tracer.rules import Text, range_of, read_yaml
from tracer.targets import names, nearest
from tracer.walks.model import PARTS, Beat, Note, Selector

STORY = "story.yaml"
STORY_SECONDS = 300


def notes(extra: Sequence[Path] = ()) -> tuple[Note, ...]:
    """Every note, in the order of files and of items in them; `RuleError` for a bad file or an id used twice."""
    return _notes(tuple(extra))


@functools.lru_cache
def story() -> tuple[Beat, ...]:
    """The beats of the five-minute story, in order; together they take five minutes."""
    where = f"walks/{STORY}"
    data = read_yaml(catalog.shipped("rules") / "walks" / STORY, where)
    _check(data, where, "story")
    beats = tuple(
        Beat(b["id"], b["seconds"], Text(**b["title"]), Text(**b["say"]), _selectors(b["at"], where))
        for b in data
    )
    total = sum(b.seconds for b in beats)
    if total != STORY_SECONDS:
        raise RuleError(f"the beats take {total} s, not {STORY_SECONDS}", where=where, todo="share them out anew")
    return beats


@functools.lru_cache
def _notes(extra: tuple[Path, ...]) -> tuple[Note, ...]:
    out: dict[str, Note] = {}
    for where, item in _items(extra):
        note = _note(item, where, extra)
        if note.id in out:
            raise RuleError(f"note {note.id} is written twice", where=where, todo="rename one of them")
        out[note.id] = note
    return tuple(out.values())


def _items(extra: tuple[Path, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for root in (catalog.shipped("rules"), *extra):
        for file in sorted(root.glob("walks/*.yaml")):
            if file.name == STORY:
                continue
            where = file.relative_to(root).as_posix()
            data = read_yaml(file, where) or []
            _check(data, where, "notes")
            yield from ((where, item) for item in data)


def _note(item: Mapping[str, Any], where: str, extra: tuple[Path, ...]) -> Note:
    at = f"{where}: {item['id']}"
    note = Note(
        id=item["id"],
        at=_selectors(item["at"], at, extra),
        parts={p: Text(**item[p]) for p in (*PARTS, "crossing") if p in item},
        ask=Text(**item["ask"]) if "ask" in item else Text(),
        say=Text(**item["say"]) if "say" in item else Text(),
        questions=tuple(item.get("questions", ())),
        faults=tuple(item.get("faults", ())),
        claims=tuple(item.get("claims", ())),
        versions=tuple((e, range_of(v, "note", at)) for e, v in (item.get("versions") or {}).items()),
    )
    _known(note.questions, list(bank().questions), "question", at)
    _known(note.faults, list(bank().faults), "fault", at)
    if note.claims:
        engines = {c.partition(".")[0] for c in note.claims}
        _known(sorted(engines), names(), "engine", at)
        written = [c.id for e in sorted(engines) for c in content(e, extra).claims]
        _known(note.claims, written, "claim", at)
    return note


def _selectors(data: Any, where: str, extra: tuple[Path, ...] = ()) -> tuple[Selector, ...]:
    found = tuple(_selector(item) for item in (data if isinstance(data, list) else [data]))
    known = {name for r in routes(extra) for name in (r.id, r.name)}
    for s in found:
        _known(s.paths, sorted(known), "path", where)
        _known(s.engine, names(), "engine", where)
    return found


def _selector(item: Mapping[str, Any]) -> Selector:
    def fields(key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((name, _many(value)) for name, value in (item.get(key) or {}).items())

    return Selector(
        waypoint=fields("waypoint"),
        site=fields("site"),
        edge=_many(item.get("edge")),
        engine=_many(item.get("engine")),
        paths=_many(item.get("paths")),
    )


def _known(given: Sequence[str], known: Sequence[str], what: str, where: str) -> None:
    for name in given:
        if name not in known:
            near = nearest(name, list(known))
            raise RuleError(f"there is no {what} {name!r}", where=where, todo=f"nearest: {', '.join(near) or 'none'}")


def _many(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _check(data: Any, where: str, kind: str) -> None:
    errors = sorted(_validator(kind).iter_errors(data), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        at = "/".join(str(p) for p in errors[0].absolute_path)
        what = f"{errors[0].message[:200]} (at {at or 'top'})"
        raise RuleError(what, where=where, todo="see rules/walks/schema.json")


@functools.lru_cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((catalog.shipped("rules") / "walks" / "schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{kind}"})
