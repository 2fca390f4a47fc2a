"""The engines that can be traced: where each comes from, which files count, which versions are pinned.

Takes `targets/*.yaml` (shipped) and the user's own pins; makes `Target` and `Version`. Versions are always text.
Knows nothing of networks, archives or git: that is `checkout`.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from packaging.version import InvalidVersion
from packaging.version import Version as PackageVersion

from tracer import atomic
from tracer.catalog import config_dir, shipped
from tracer.errors import CacheError, UsageError
from tracer.globs import path_matches

NEWEST = "9999"  # what no release has reached
_HEX = re.compile(r"[0-9a-f]{7,40}", re.IGNORECASE)
_DESCRIBE = re.compile(r".+-g?([0-9a-f]{7,40})", re.IGNORECASE)  # as `git describe` prints: v0.3.12-34-g3b5a594
_SPEAKABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]*")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _TextLoader(_Loader):  # type: ignore[misc,valid-type]
    """YAML whose plain scalars all stay text, so that a version 0.10 never becomes the number 0.1."""


_TextLoader.yaml_implicit_resolvers = {}


class UnknownVersionError(UsageError):
    """A version that no pin names; a repository that is given may know it."""


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """One place to get a version from: kind `git` (url) or `archive` (project, file, sha256)."""

    kind: str
    url: str = ""
    project: str = ""
    file: str = ""
    sha256: str = ""
    lacks: str = ""  # what this source does not hold, reported as a gap


@dataclass(frozen=True, slots=True)
class Version:
    """A pinned version; `commit` may be abbreviated where no more could be established, or empty."""

    name: str
    tag: str = ""
    commit: str = ""
    package: str = ""  # its version on a package index
    released: str = ""  # ISO date: pins are ordered by it, newest first
    sources: tuple[SourceSpec, ...] = ()
    release: str = ""  # of a bare commit: the number of the release that it builds on


@dataclass(frozen=True, slots=True)
class Target:
    """An engine: its repository, the roots and suffixes to read, how paths become modules, its pins (newest first)."""

    name: str
    title: str
    url: str
    roots: tuple[str, ...]
    project: str = ""
    tags: str = "v{version}"
    lacks: str = ""  # what no package archive of this engine holds
    suffixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    packages: Mapping[str, str] = field(default_factory=dict, hash=False)  # repository prefix → module prefix
    layout: Mapping[str, str] = field(default_factory=dict, hash=False)  # archive prefix → repository prefix
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)  # label → globs
    by_name: bool = False  # asked only where it is named
    versions: tuple[Version, ...] = ()

    @property
    def all_suffixes(self) -> tuple[str, ...]:
        """The suffixes of all languages."""
        return tuple(s for suffixes in self.suffixes.values() for s in suffixes)


def names() -> tuple[str, ...]:
    """The names of all engines, the user's own too, sorted."""
    return tuple(sorted({*_shipped_names(), *_own_names()}))


def _shipped_names() -> list[str]:
    return [p.stem for p in shipped("targets").glob("*.yaml")]


def _own_names() -> list[str]:
    """Engines that only the user has described: files with roots; the others hold further pins."""
    return [p.stem for p in (config_dir() / "targets").glob("*.yaml") if re.search(rb"^roots:", p.read_bytes(), re.M)]


def defaults() -> tuple[str, ...]:
    """The engines that are asked where none is named, sorted."""
    return tuple(name for name in names() if not target(name).by_name)


def load_targets() -> tuple[Target, ...]:
    """All engines with the shipped pins and the user's own, sorted by name."""
    return tuple(target(name) for name in names())


def target(name: str) -> Target:
    """The engine called `name`; `UsageError` with the nearest names otherwise."""
    known = names()
    wanted = name.strip().lower()
    if wanted not in known:
        near = nearest(wanted, known)
        hint = f"did you mean {' or '.join(near)}?" if near else f"engines: {', '.join(known)}"
        raise UsageError(f"unknown engine {name!r}", todo=hint)
    own = user_file(wanted)
    if wanted not in _shipped_names():
        document = _read(own)
        check_user_file(document, own)
        return _target_of(document)
    found = _target_of(_read(shipped("targets") / f"{wanted}.yaml"))
    if own.is_file():
        document = _read(own)
        check_user_file(document, own)
        have = {v.name for v in found.versions}
        pins = [_version_of(v, found) for v in document["versions"]]
        merged = found.versions + tuple(v for v in pins if v.name not in have)
        found = replace(found, versions=tuple(sorted(merged, key=lambda v: v.released, reverse=True)))
    return found


def parse_spec(spec: str) -> tuple[Target, Version]:
    """`ENGINE` (its newest pin) or `ENGINE@VERSION`: a pin's name, tag, package version or commit (7 digits up)."""
    name, at, wanted = spec.strip().partition("@")
    engine = target(name)
    if at and not wanted:
        raise UsageError(f"no version after the @ in {spec!r}", todo=_pins(engine))
    return engine, version_of(engine, wanted) if at else engine.versions[0]


def specs_of(specs: Sequence[str]) -> list[tuple[Target, Version]]:
    """The engines that are asked together, each once; the first mention of an engine decides its version."""
    out: dict[str, tuple[Target, Version]] = {}
    for spec in specs:
        target, version = parse_spec(spec)
        out.setdefault(target.name, (target, version))
    return list(out.values())


def version_of(engine: Target, wanted: str) -> Version:
    """The pin of `engine` that `wanted` names; `UsageError` lists the pins and says how to add one."""
    for spelt in (str, _bare):  # as written, then without the v of a tag
        for version in engine.versions:
            if spelt(wanted) in (spelt(version.name), spelt(version.tag), spelt(version.package)):
                return version
    if commit := commit_of(wanted):
        hits = [v for v in engine.versions if v.commit and (v.commit.startswith(commit) or commit.startswith(v.commit))]
        if len(hits) == 1:
            return hits[0]
        if hits:
            todo = f"it fits {', '.join(v.name for v in hits)}; give more digits"
            raise UsageError(f"{engine.name}@{wanted} is ambiguous", todo=todo)
    near = nearest(wanted, [v.name for v in engine.versions])
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    another = f"; `tracer targets add {engine.name} {wanted}` pins another" if _SPEAKABLE.fullmatch(wanted) else ""
    todo = f"{hint}{_pins(engine)}{another}"
    raise UnknownVersionError(f"{engine.name} has no pinned version {wanted!r}", todo=todo)


@functools.lru_cache
def number_of(name: str) -> PackageVersion:
    """The number by which version ranges read the pin called `name`, of whatever engine.

    A release has its own. A bare commit stands behind the release that it builds on (as its pin says, else by date) and
    before the next; one that no known release follows, and a name that no pin has, count as newer than every release.
    """
    for engine in load_targets() if commit_of(name) else ():
        for version in engine.versions:
            if version.name == name and not version.tag and not version.package:
                return _behind(version.release or _by_date(engine, version))
    with contextlib.suppress(InvalidVersion):
        return PackageVersion(name.removeprefix("v"))
    return PackageVersion(NEWEST)


def _behind(release: str) -> PackageVersion:
    with contextlib.suppress(InvalidVersion):
        return PackageVersion(f"{PackageVersion(release).base_version}.post{NEWEST}")
    return PackageVersion(NEWEST)


def _by_date(engine: Target, commit: Version) -> str:
    """The newest release among the pins that is no younger than the commit; "" where none is younger."""
    releases = [v for v in engine.versions if v.released and (v.package or v.tag)]
    if not commit.released or all(v.released <= commit.released for v in releases):
        return ""
    before = next((v for v in releases if v.released <= commit.released), None)
    return (before.package or _bare(before.tag)) if before else "0"


def commit_of(wanted: str) -> str:
    """The commit that `wanted` spells (7 digits or more, or as `git describe` prints one); "" if it spells none."""
    commit = m.group(1) if (m := _DESCRIBE.fullmatch(wanted)) else wanted
    return commit.lower() if _HEX.fullmatch(commit) else ""


def nearest(wanted: str, known: tuple[str, ...] | list[str], limit: int = 2) -> list[str]:
    """The names most like `wanted`, best first; empty when none is near."""
    from rapidfuzz import fuzz, process  # only a wrong name needs it

    hits = process.extract(wanted, sorted(known), scorer=fuzz.WRatio, limit=limit, score_cutoff=70)
    return [name for name, _, _ in hits]


def module_of(engine: Target, path: str) -> str:
    """The Python module of a repository path (`python/sglang/srt/x.py` → `sglang.srt.x`); "" for other languages."""
    if not path.endswith(engine.suffixes.get("python", (".py", ".pyi"))):
        return ""
    prefix = max((p for p in engine.packages if path.startswith(p)), key=len, default="")
    head = engine.packages.get(prefix, "")
    parts = path[len(prefix) :].rsplit(".", 1)[0].split("/")
    if parts[-1] == "__init__" and (len(parts) > 1 or head):
        parts.pop()
    if head:
        parts.insert(0, head)
    return ".".join(parts).replace("-", "_")


def context_of(engine: Target, path: str) -> str:
    """The label of a file that is not live code (`test`, `mock`, `bench`, `example`, `fault`, …); "" for live code."""
    for label, globs in engine.context.items():
        if path_matches(path, globs):
            return label
    return ""


def user_file(engine: str) -> Path:
    """Where the user's own pins of `engine` are kept; it may not exist."""
    return config_dir() / "targets" / f"{engine}.yaml"


def save_pin(engine: Target, version: Version) -> Path:
    """Add `version` to the user's own pins of `engine` (one of the same name is replaced); returns the file."""
    place = user_file(engine.name)
    record = _filled(version, ("name", "tag", "commit", "package", "released", "release"))
    record["sources"] = [_filled(s, ("kind", "url", "project", "file", "sha256", "lacks")) for s in version.sources]
    with changing(place):
        document = _read(place) if place.is_file() else {"versions": []}
        check_user_file(document, place)
        document["versions"] = [*(v for v in document["versions"] if v["name"] != version.name), record]
        said = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
        atomic.write(place, f"# Pins added by `tracer targets add`.\n{said}")
    number_of.cache_clear()
    return place


@contextlib.contextmanager
def changing(place: Path) -> Iterator[None]:
    """Hold the folder of a user's file, so that two who change it do so one after the other."""
    config_dir(write=True)
    try:
        place.parent.mkdir(exist_ok=True)
        with atomic.alone(place.parent):
            yield
    except OSError as e:
        todo = "free some room, or set TRACER_CONFIG_DIR to a directory that you can write"
        raise CacheError(f"cannot be saved ({e.strerror or e})", where=str(place), todo=todo) from e


def _filled(noun: Version | SourceSpec, keys: tuple[str, ...]) -> dict[str, Any]:
    return {k: v for k in keys if (v := getattr(noun, k))}


def _pins(engine: Target) -> str:
    return f"pins: {', '.join(v.name for v in engine.versions)}"


def _bare(tag: str) -> str:
    return tag[1:] if tag[:1] in ("v", "V") and tag[1:2].isdigit() else tag


# What PyYAML raises for text that is no YAML, and for values that are none of their kind (`2026-01-42`, `!!bool x`).
UNREADABLE = (OSError, ValueError, LookupError, AttributeError, TypeError, yaml.YAMLError, RecursionError)


def _read(path: Path) -> dict[str, Any]:
    try:
        document = yaml.load(path.read_text("utf-8"), _TextLoader)  # noqa: S506 - a SafeLoader, with fewer types
    except UNREADABLE as e:
        raise UsageError(f"cannot be read ({' '.join(str(e).split())})", where=str(path), todo="mend the file") from e
    if not isinstance(document, dict):
        raise UsageError("holds no mapping", where=str(path), todo="mend the file")
    return document


def check_user_file(document: dict[str, Any], where: Path) -> None:
    """`UsageError` if a user's file follows no schema: of a whole target, or of further pins.

    Only files that a user may edit are checked at run time; the tests check the shipped ones.
    """
    import jsonschema  # costs a tenth of a second, and few users have such a file

    schema = json.loads((shipped("targets") / "schema.json").read_text("utf-8"))
    part = {"$schema": schema["$schema"], "$defs": schema["$defs"], **schema["$defs"]["pins"]}
    for error in jsonschema.Draft202012Validator(schema if "roots" in document else part).iter_errors(document):
        at = "/".join(str(p) for p in error.absolute_path)
        raise UsageError(f"{at or 'the file'}: {error.message}", where=str(where), todo="mend or remove the file")


def _target_of(d: dict[str, Any]) -> Target:
    keys = ("name", "title", "url", "project", "tags", "lacks")
    target = Target(
        roots=tuple(d["roots"]),
        suffixes={k: tuple(v) for k, v in d["suffixes"].items()},
        packages=dict(d["packages"]),
        layout=dict(d.get("layout", {})),
        context={k: tuple(v) for k, v in d.get("context", {}).items()},
        **{k: d[k] for k in keys if k in d},
    )
    target = replace(target, by_name=d.get("by_name") == "true")
    return replace(target, versions=tuple(_version_of(v, target) for v in d["versions"]))


def _version_of(d: dict[str, Any], target: Target) -> Version:
    sources = []
    for s in d["sources"]:
        git = s["kind"] == "git"
        home = {"url": target.url + ".git"} if git else {"project": target.project, "lacks": target.lacks}
        sources.append(SourceSpec(**{**home, **s}))
    plain = {k: d[k] for k in ("tag", "commit", "released", "release") if k in d}
    return Version(name=d["name"], package=d.get("package", ""), sources=tuple(sources), **plain)
