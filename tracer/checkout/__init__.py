"""Checkout: `Target@version` → a read-only tree of source files, from the cache, an archive, git or a folder.

Takes a spec; makes a `SourceTree`. Once fetched, a version needs no network. Refuses to know what the files mean.
"""

from __future__ import annotations

from pathlib import Path

from tracer.checkout.folder import FolderTree, any_target
from tracer.checkout.listener import Listener, Note, Progress
from tracer.checkout.store import StoredTree, stored
from tracer.errors import SourceUnavailableError
from tracer.targets import Target, UnknownVersionError, Version, commit_of, names, parse_spec, target

__all__ = ["FolderTree", "StoredTree", "add_pin", "fetch", "folder_tree", "open_tree", "pin_of"]


def open_tree(
    spec: str | tuple[Target, Version],
    *,
    fetch: bool = True,
    progress: Progress | None = None,
    note: Note | None = None,
) -> StoredTree:
    """The tree of `ENGINE[@VERSION]`, from the cache; fetched first when it is not there and `fetch` allows it."""
    engine, version = parse_spec(spec) if isinstance(spec, str) else spec
    if tree := stored(engine, version):
        return tree
    if not fetch:
        todo = f"run `tracer fetch {engine.name}@{version.name}`"
        raise SourceUnavailableError("its source is not in the cache", where=f"{engine.name}@{version.name}", todo=todo)
    return _fetch(engine, version, None, None, Listener(progress, note))


def fetch(
    engine: Target,
    version: Version,
    *,
    source: str | None = None,
    origin: str | Path | None = None,
    progress: Progress | None = None,
    note: Note | None = None,
) -> StoredTree:
    """Bring a version into the cache and return its tree; one that is there and whole is returned as it is.

    `source` allows only `git` or `archive`; `origin` (a clone, mirror, folder or archive, or the URL of one) is taken
    instead of the pinned sources, and replaces a tree that is there.
    """
    return _fetch(engine, version, source, origin, Listener(progress, note))


def folder_tree(path: str | Path, engine: str | Target = "", version: str = "") -> FolderTree:
    """A folder of the user's own as it lies there: an engine's roots, or without engine every Python and C++ file."""
    place = Path(path)
    if isinstance(engine, Target):
        return FolderTree(place, engine, version)
    known = target(engine) if engine in names() else any_target(engine or place.resolve().name)
    return FolderTree(place, known, version)


def add_pin(engine: str, version: str, *, origin: str | Path = "", note: Note | None = None) -> Version:
    """Resolve another version of an engine through the package index or its tags, and pin it in the user's own file.

    `origin` (a clone, or the URL of one) is asked for the commit instead of the engine's own repository.
    """
    from tracer.checkout.pin import add  # network libraries, only when they are needed

    return add(engine, version, str(origin), Listener(None, note))


def draft_target(engine: str, project: str, *, url: str = "", note: Note | None = None) -> Path:
    """Draft the target file of an engine that is not known, from `project`'s newest archive; gives the file."""
    from tracer.checkout.draft import draft  # network libraries, only when they are needed

    return draft(engine, project, url, Listener(None, note))


def pin_of(spec: str, *, origin: str = "", note: Note | None = None) -> tuple[Target, Version]:
    """What `ENGINE[@VERSION]` names; a commit (7 digits or more) that no pin has is pinned from the clone `origin`."""
    try:
        return parse_spec(spec)
    except UnknownVersionError:
        name, _, wanted = spec.strip().partition("@")
        if not origin or not commit_of(wanted):
            raise
        from tracer.checkout.pin import add_commit

        return target(name), add_commit(name, wanted, origin, Listener(None, note))


def _fetch(
    engine: Target, version: Version, source: str | None, origin: str | Path | None, listener: Listener
) -> StoredTree:
    from tracer.checkout.fetching import bring  # network libraries, only when they are needed

    tree = bring(engine, version, source, origin, listener)
    tree.notes = tuple(listener.notes)
    return tree
