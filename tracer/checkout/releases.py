"""Every release of an engine: all tags of a clone, or all versions that the package index serves.

Takes a target and, where one is given, a clone; makes versions, oldest first, with what is needed to fetch each. A
release that is pinned is that pin. Fetches nothing.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.version import InvalidVersion
from packaging.version import Version as PackageVersion

from tracer.checkout.clone import common_folder
from tracer.checkout.index import listing
from tracer.checkout.offered import best_of, from_archive, links_by_version
from tracer.errors import SourceUnavailableError, UsageError
from tracer.targets import SourceSpec, Target, Version


def releases(target: Target, clone: str = "", *, pre: bool = False) -> list[Version]:
    """The releases of `target`, oldest first: the tags of `clone`, else what the index has; `pre` adds candidates."""
    found = _tagged(target, Path(clone).expanduser()) if clone else _indexed(target)
    chosen = {parsed: v for parsed, v in found if pre or not parsed.is_prerelease}
    if not chosen:
        where, todo = clone or target.project, "name a clone with --clone" if not clone else "`git fetch --tags` there"
        raise SourceUnavailableError(f"there is no release of {target.title}", where=where, todo=todo)
    return [_pinned(target, chosen[p]) for p in sorted(chosen)]


def behind(target: Target, place: Path, commit: str, work: Path) -> str:
    """The number of the newest release in the history of `commit`, in a clone; "" where none is, or none came after."""
    from tracer.checkout import git

    numbers = {v.tag: n for n, v in sorted(_tagged(target, place), reverse=True) if not n.is_prerelease}
    found = git.latest_in_history(place, list(numbers), commit, work)
    return "" if not found or found == next(iter(numbers)) else str(numbers[found])


def age(version: Version) -> PackageVersion:
    """What a version is ordered by; one that is no version number comes last."""
    with contextlib.suppress(InvalidVersion):
        return PackageVersion(version.package or version.tag or version.name)
    return PackageVersion("9999!0")


def _pinned(target: Target, version: Version) -> Version:
    return next((v for v in target.versions if version.tag and v.tag == version.tag), version)


def _tagged(target: Target, place: Path) -> Iterator[tuple[PackageVersion, Version]]:
    """Tags that are spelt as this engine's releases are; read from the clone's files, never by its configuration."""
    folder = common_folder(place)
    if folder is None:
        raise UsageError("is no clone", where=str(place), todo="give a clone or a bare mirror with --clone")
    shape = re.compile(re.escape(target.tags).replace(re.escape("{version}"), r"(\d[\w.!+-]*)"))
    by_tag = any(v.name == v.tag for v in target.versions)
    for tag in sorted(_tags(folder)):
        if not (m := shape.fullmatch(tag)):
            continue
        with contextlib.suppress(InvalidVersion):
            name = tag if by_tag else m[1]
            yield PackageVersion(m[1]), Version(name, tag, sources=(SourceSpec("git", url=f"{target.url}.git"),))


def _tags(folder: Path) -> Iterable[str]:
    loose = folder / "refs" / "tags"
    found = {p.relative_to(loose).as_posix() for p in loose.rglob("*") if p.is_file()}
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in (folder / "packed-refs").read_text("utf-8").splitlines():
            _, _, name = line.partition(" ")
            if name.startswith("refs/tags/"):
                found.add(name.removeprefix("refs/tags/"))
    return found


def _indexed(target: Target) -> Iterator[tuple[PackageVersion, Version]]:
    if not target.project:
        raise UsageError(f"{target.title} is on no package index", todo="name a clone with --clone")
    for version, links in links_by_version(tuple(link for link in listing(target.project) if not link.yanked)).items():
        link = best_of(links)
        if link is not None:
            found = from_archive(target, version, link)
            yield (
                PackageVersion(version),
                Version(found.name, found.tag, "", found.package, found.released, found.sources[1:]),
            )
