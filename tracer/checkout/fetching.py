"""One fetch from beginning to end: which source is tried, in which order, and what is said when none serves.

Takes a pin and the user's wishes; makes a stored tree. Knows each source by its one function.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from tracer.catalog import cache_dir
from tracer.checkout.archive import SUFFIXES, read_archive
from tracer.checkout.clone import check_url, common_folder
from tracer.checkout.download import download
from tracer.checkout.folder import read_folder
from tracer.checkout.index import find
from tracer.checkout.listener import Listener
from tracer.checkout.selection import Found
from tracer.checkout.store import StoredTree, folder_of, locked, store, stored, writing
from tracer.checkout.web import UnreachableError
from tracer.errors import FetchError, SourceUnavailableError, UsageError
from tracer.model import Gap
from tracer.targets import SourceSpec, Target, Version

SOURCES = ("git", "archive")


def bring(
    target: Target, version: Version, source: str | None, origin: str | Path | None, listener: Listener
) -> StoredTree:
    """The stored tree of a version, made now if it is not there whole."""
    if source is not None and source not in SOURCES:
        raise UsageError(f"unknown source {source!r}", todo=f"use {' or '.join(SOURCES)}")
    with locked(target, version, listener) as work:
        if origin is not None:
            found = _given(target, version, str(origin), work, listener)
            return store(target, version, found, work, listener)
        present = stored(target, version)
        if present and (source is None or source == present.revision.kind):
            if not (path := present.broken()):
                return present
            listener.note(f"{target.name}@{version.name}: {path} was changed in the cache; fetching again")
        elif not present and folder_of(target, version).exists():
            listener.note(f"{target.name}@{version.name}: the cached copy is incomplete or outdated; fetching again")
        return _first_that_serves(target, version, source, work, listener)


def _first_that_serves(
    target: Target, version: Version, source: str | None, work: Path, listener: Listener
) -> StoredTree:
    """Try the pin's sources in their order; only silence of a host is a reason to try the next."""
    name = f"{target.name}@{version.name}"
    specs = [s for s in version.sources if source in (None, s.kind)]
    if not specs:
        todo = f"its sources: {', '.join(s.kind for s in version.sources)}; or give one with --from"
        raise SourceUnavailableError(f"has no {source} source", where=name, todo=todo)
    reasons, hints = [], []
    for number, spec in enumerate(specs):
        own = work / str(number)
        with writing(own):
            own.mkdir()
        try:
            return store(target, version, _pinned(target, version, spec, own, listener), work, listener)
        except UnreachableError as e:
            reasons.append(f"{e.where}: {e.what}" if e.where else e.what)
            hints += [e.todo] if e.todo else []
            if number + 1 < len(specs):
                listener.note(f"{name}: {reasons[-1]}; taking the {specs[number + 1].kind}")
    hints.append(f"`tracer fetch {name} --from PATH` takes a clone, a mirror, a folder or a pinned archive")
    raise SourceUnavailableError("; ".join(reasons), where=name, todo="; ".join(hints))


def _pinned(target: Target, version: Version, spec: SourceSpec, work: Path, listener: Listener) -> Found:
    if spec.kind == "git":
        from tracer.checkout import git  # GitPython takes its time to import

        return git.from_url(spec.url, target, version, work, listener)
    link = find(spec.project, spec.file)
    file = download(link.url, spec.sha256, _parts(), work / spec.file, listener, link.size)
    return _archive(file, target, version, spec)


def _given(target: Target, version: Version, origin: str, work: Path, listener: Listener) -> Found:
    """What `--from` names: an address or a path; a repository, an archive or a folder."""
    if not origin or origin.startswith("-"):
        raise UsageError(f"{origin!r} is no path and no address", todo="give --from PATH or --from URL")
    if origin.startswith("file://"):
        origin = url2pathname(urlsplit(origin).path)
    if "://" in origin or (":" in origin and "@" in origin.partition(":")[0]):
        check_url(origin)
        if origin.startswith(("http://", "https://")) and urlsplit(origin).path.endswith(SUFFIXES):
            return _archive_at(target, version, origin, work, listener)
        from tracer.checkout import git

        return git.from_url(origin, target, version, work, listener)
    place = Path(origin).expanduser()
    if place.is_file():
        return _archive_file(target, version, place)
    if not place.is_dir():
        raise UsageError("does not exist", where=origin, todo="give a clone, a mirror, a folder or an archive")
    if common_folder(place):
        from tracer.checkout import git

        return git.from_clone(place, target, version, work)
    listener.note(f"{target.name}@{version.name}: taken from a plain folder; its commit is not known")
    return read_folder(place, target)


def _archive_at(target: Target, version: Version, url: str, work: Path, listener: Listener) -> Found:
    name = urlsplit(url).path.rsplit("/", 1)[-1]
    spec = next((s for s in version.sources if s.file == name), None)
    if spec is None:
        raise _not_pinned(target, version, name)
    return _archive(download(url, spec.sha256, _parts(), work / name, listener), target, version, spec)


def _archive_file(target: Target, version: Version, place: Path) -> Found:
    import hashlib

    with place.open("rb") as f:
        actual = hashlib.file_digest(f, "sha256").hexdigest()
    spec = next((s for s in version.sources if s.sha256 == actual), None)
    if spec is None:
        known = next((s for s in version.sources if s.file == place.name), None)
        if known:
            todo = "the file is damaged or another one; download it again"
            raise FetchError(
                f"has sha256 {actual[:16]}…, the pin says {known.sha256[:16]}…", where=str(place), todo=todo
            )
        raise _not_pinned(target, version, place.name)
    return _archive(place, target, version, spec)


def _archive(file: Path, target: Target, version: Version, spec: SourceSpec) -> Found:
    found = read_archive(file, target, spec.file)
    found.commit, found.tag = version.commit, version.tag
    if spec.lacks:
        name = f"{target.name}@{version.name}"
        todo = f"`tracer fetch {name} --source git`, or `--from` with a clone, brings all of it"
        found.gaps.append(Gap(name, f"{spec.lacks}: {todo}"))
    return found


def _not_pinned(target: Target, version: Version, name: str) -> FetchError:
    pinned = " or ".join(s.file for s in version.sources if s.file)
    todo = (f"give {pinned}; " if pinned else "") + "unpacked, any archive can be given as a folder"
    return FetchError(f"{name} is no pinned archive of {target.name}@{version.name}", todo=todo)


def _parts() -> Path:
    return cache_dir() / "downloads"
