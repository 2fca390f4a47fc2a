"""Named paths and stacks, as data: `rules/paths/*.yaml` → routes with their stations; `rules/stacks.yaml` → engines.

A station says which functions count by role, state, interface or entry, never by the name of an answer. Knows nothing
of graphs: `stations.py` finds the functions, `paths.py` the way.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import jsonschema

from tracer import catalog
from tracer.errors import RuleError, UsageError
from tracer.rules import Text, in_range, read_yaml
from tracer.targets import nearest

KINDS = ("role", "rule", "interface", "caller", "state", "entry", "api")


@dataclass(frozen=True, slots=True)
class Station:
    """A way-point: the functions that fit all that is said. Exactly one of `KINDS` is given."""

    what: Text
    role: str = ""
    action: tuple[str, ...] = ()
    layer: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()
    rule: tuple[str, ...] = ()
    interface: tuple[str, ...] = ()
    caller: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    op: tuple[str, ...] = ()
    entry: str = ""
    api: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    not_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A named path: which engines it crosses, what it takes at fan-outs, and the stations it meets in order."""

    id: str
    name: str
    engines: tuple[str, ...]
    title: Text
    way: tuple[Station, ...]
    stack: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    choose: tuple[tuple[str, tuple[str, ...]], ...] = ()
    avoid: tuple[str, ...] = ()

    def fits(self, versions: Mapping[str, str]) -> bool:
        """Whether all its engines are there, in versions that it holds for."""
        return set(self.engines) <= versions.keys() and all(
            in_range(wanted, versions[engine]) for engine, wanted in self.versions if engine in versions
        )


def routes(extra: Sequence[Path] = ()) -> tuple[Route, ...]:
    """Every named path, in the order of files and of items in them; `RuleError` for a bad file or an id used twice."""
    return _routes(tuple(extra))


def choose(name: str, versions: Mapping[str, str], stack: str = "", extra: Sequence[Path] = ()) -> Route:
    """The path called `name` (or with that id) for these engines (name → version), the first asked engine first.

    Of several, the one that crosses most of the engines, then the first in its file. `UsageError` says what there is.
    """
    asked = next(iter(versions))
    ours = [r for r in routes(extra) if r.engines[0] == asked and r.fits(versions)]
    named = [r for r in ours if name in (r.name, r.id) and stack in ("", r.stack)]
    if named:
        most = max(len(r.engines) for r in named)
        return next(r for r in named if len(r.engines) == most)
    have = sorted({r.name for r in ours})
    if name in have:
        stacks = sorted({r.stack for r in ours if r.name == name and r.stack})
        todo = f"it has {', '.join(stacks)}" if stacks else "it has no stacks"
        raise UsageError(f"{asked}'s path {name!r} has no stack {stack!r}", todo=todo)
    near = nearest(name, have)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(f"{asked} has no path {name!r}", todo=f"{hint}paths: {', '.join(have) or 'none'}; or give A and B")


@functools.lru_cache
def _routes(extra: tuple[Path, ...]) -> tuple[Route, ...]:
    out: dict[str, Route] = {}
    for root in (catalog.shipped("rules"), *extra):
        for file in sorted(root.glob("paths/*.yaml")):
            where = file.relative_to(root).as_posix()
            for item in _checked(read_yaml(file, where), where):
                if item["id"] in out:
                    raise RuleError(f"path id {item['id']} is used twice", where=where, todo="rename one of them")
                out[item["id"]] = _route(item, where)
    return tuple(out.values())


def _checked(data: Any, where: str) -> list[dict[str, Any]]:
    errors = sorted(_validator().iter_errors(data or []), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        at = "/".join(str(p) for p in errors[0].absolute_path)
        at_what = f"{errors[0].message[:200]} (at {at or 'top'})"
        raise RuleError(at_what, where=where, todo="see rules/paths/schema.json")
    return data or []


@functools.lru_cache
def _validator() -> jsonschema.Draft202012Validator:
    file = catalog.shipped("rules") / "paths" / "schema.json"
    return jsonschema.Draft202012Validator(json.loads(file.read_text(encoding="utf-8")))


def _route(item: Mapping[str, Any], where: str) -> Route:
    return Route(
        id=item["id"],
        name=item["name"],
        engines=_many(item["engines"]),
        title=_text(item["title"]),
        way=tuple(_station(s, item["id"], where) for s in item["way"]),
        stack=item.get("stack", ""),
        versions=tuple(sorted((item.get("versions") or {}).items())),
        choose=tuple((base, _many(impl)) for base, impl in (item.get("choose") or {}).items()),
        avoid=_many(item.get("avoid")),
    )


def _station(item: Mapping[str, Any], path: str, where: str) -> Station:
    given = [k for k in KINDS if k in item]
    if len(given) != 1:
        raise RuleError(f"{path}: a way-point needs exactly one of {', '.join(KINDS)}", where=where)
    names = {f.name for f in fields(Station)} - {"what", "role", "entry", "files", "not_files"}
    return Station(
        what=_text(item["what"]),
        role=item.get("role", ""),
        entry=item.get("entry", ""),
        files=_many(item.get("in")),
        not_files=_many(item.get("not_in")),
        **{name: _many(item.get(name)) for name in names},
    )


def _many(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _text(value: Any) -> Text:
    return Text(en=value) if isinstance(value, str) else Text(**value)


# -- stacks ------------------------------------------------------------------------
@functools.lru_cache
def _deployments() -> Mapping[str, Mapping[str, Any]]:
    data = read_yaml(catalog.shipped("rules") / "stacks.yaml", "stacks.yaml")
    if not isinstance(data, dict) or not all(isinstance(data.get(k), dict) for k in ("stacks", "interfaces")):
        raise RuleError("must have the mappings `stacks` and `interfaces`", where="stacks.yaml", todo="mend the YAML")
    return data


def stacks() -> dict[str, tuple[str, ...]]:
    """Every stack: name → its engines as `ENGINE[@VERSION]`, in the order of the file."""
    return {name: _many(engines) for name, engines in _deployments()["stacks"].items()}


def stack(name: str) -> tuple[str, ...]:
    """The engines of a stack; `UsageError` with the nearest names."""
    known = stacks()
    if name not in known:
        near = nearest(name, list(known))
        raise UsageError(f"there is no stack {name!r}", todo=f"stacks: {', '.join(near or known)}")
    return known[name]


def choices(given: Sequence[str]) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
    """`--choose KEY=VALUE …` → the stack asked for ("" if none), and interface → implementations.

    KEY is `stack`, a short name of `rules/stacks.yaml` or an interface; VALUE one or several, with commas.
    """
    wanted, out = "", []
    for item in given:
        key, found, value = item.partition("=")
        names = tuple(v for v in value.split(",") if v)
        if not found or not key or not names:
            raise UsageError(f"--choose {item!r} is not KEY=VALUE", todo="e.g. --choose stack=mp or BASE=CLASS")
        if key == "stack":
            wanted = value
        else:
            out.append((_deployments()["interfaces"].get(key, key), names))
    return wanted, out
