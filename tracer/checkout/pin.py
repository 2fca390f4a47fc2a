"""Pinning another version: found on the package index or among the repository's tags, kept in the user's own file.

Takes an engine's name and a version; makes a `Version` with its sha256 and, where git can be asked, its full commit.
Never touches the shipped pins.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from packaging.version import Version as PackageVersion

from tracer import atomic
from tracer.checkout.clone import SHA
from tracer.checkout.index import Link, listing
from tracer.checkout.listener import Listener
from tracer.checkout.offered import best_of, from_archive, links_by_version, release_of
from tracer.checkout.web import UnreachableError
from tracer.errors import FetchError, SourceUnavailableError, TracerError, UsageError
from tracer.targets import SourceSpec, Target, Version, commit_of, nearest, save_pin, target


def add(engine: str, wanted: str, origin: str, listener: Listener) -> Version:
    """Resolve `wanted` (a package version, a tag or a full commit), save the pin, and return it.

    `origin` is a clone to be asked for the commit, instead of the repository on the web.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/+-]*", wanted):
        raise UsageError(f"{wanted!r} is no version, tag or commit", todo="give one of those")
    found = target(engine)
    for version in found.versions:
        if wanted in (version.name, version.tag, version.package):
            listener.note(f"{found.name}@{version.name} is pinned already")
            return version
    links, silent = _links(found)
    known = links_by_version(links)
    package = release_of(wanted)
    archive = best_of(known[package]) if package in known else None
    version = from_archive(found, wanted, archive) if archive else _from_git_alone(found, wanted)
    try:
        version = _with_commit(found, version, origin, listener)
    except FetchError as e:
        listener.note(f"{found.name}@{version.name}: its commit is not known ({e.where}: {e.what})")
        if not archive:
            silent = silent or (e if isinstance(e, UnreachableError) else None)
            raise _not_found(found, wanted, known, silent) from e
    save_pin(found, version)
    return version


def add_commit(engine: str, wanted: str, origin: str, listener: Listener) -> Version:
    """Pin the commit that `wanted` spells, in full, out of the repository `origin`; the package index is not asked."""
    found, commit = target(engine), commit_of(wanted)
    if "://" in origin and not SHA.fullmatch(commit):
        todo = "give all 40 digits, or a clone with --from"
        raise UsageError(f"{commit} is cut, and a server is asked by whole commits only", todo=todo)
    version = replace(_from_git_alone(found, commit), name=commit, tag="", commit=commit)
    version = _with_commit(found, version, origin, listener)
    save_pin(found, version)
    return version


def _links(found: Target) -> tuple[tuple[Link, ...], UnreachableError | None]:
    if not found.project:
        return (), None
    try:
        return listing(found.project), None
    except UnreachableError as e:
        return (), e


def _from_git_alone(found: Target, wanted: str) -> Version:
    git = SourceSpec("git", url=found.url + ".git")
    commit = wanted if SHA.fullmatch(wanted) else ""
    tag = "" if commit else (found.tags.format(version=wanted) if wanted[:1].isdigit() else wanted)
    return Version(wanted.replace("/", "-"), tag, commit, "", "", (git,))


def _with_commit(found: Target, version: Version, origin: str, listener: Listener) -> Version:
    """The version with its full commit; `FetchError` if the repository cannot be asked, or has no such thing."""
    from tracer.checkout import git, releases

    listener.step(f"asking {origin or found.url} for {version.tag or version.commit}", 0)
    ref = version.commit or version.tag
    with atomic.scratch("pin") as work:
        if origin and "://" not in origin:
            place = Path(origin).expanduser()
            commit, date = git.resolve_in(place, ref, work)
            if not version.tag:
                version = replace(version, release=releases.behind(found, place, commit, work))
        else:
            url = origin or next(s.url for s in version.sources if s.kind == "git")
            commit, date = git.resolve(url, ref, work)
    return replace(version, commit=commit, released=version.released or date)


def _not_found(
    found: Target, wanted: str, known: dict[str, list[Link]], silent: UnreachableError | None
) -> TracerError:
    if silent and (not known or SHA.fullmatch(wanted)):
        todo = "try again where it can be reached, or name a clone with --from"
        return SourceUnavailableError(f"cannot be resolved ({silent})", where=f"{found.name}@{wanted}", todo=todo)
    near = nearest(wanted, list(known), 3)
    newest = sorted(known, key=PackageVersion)[:-4:-1]
    hint = f"did you mean {' or '.join(near)}?" if near else f"the newest there: {', '.join(newest) or 'none'}"
    return UsageError(f"{found.title} has no version {wanted!r} on the package index, nor a tag in reach", todo=hint)
