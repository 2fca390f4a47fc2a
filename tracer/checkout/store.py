"""Fetched versions in the cache: plain files and a manifest that is written last.

Takes what a source found; makes `trees/<engine>/<version>/`, in a temporary sibling folder that is renamed when it is
whole, under a lock. A tree without its manifest does not exist. Refuses to know where the files came from.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tracer.catalog import cache_dir
from tracer.checkout.listener import Listener
from tracer.checkout.selection import MAX_FILE, MAX_TOTAL, Found, keeps, selection_digest
from tracer.errors import CacheError, FetchError, SourceUnavailableError
from tracer.model import Gap, Revision, SourceFile, digest_of
from tracer.targets import Target, Version

MANIFEST = "manifest.json"
_FORMAT = 1
_BEFORE = "old"  # what the tree that is replaced is called meanwhile


class Manifest(msgspec.Struct, frozen=True):
    """What a stored tree says of itself."""

    format: int
    selection: str
    engine: str
    version: str
    revision: Revision
    origin: str
    gaps: tuple[Gap, ...]
    files: tuple[SourceFile, ...]


class StoredTree:
    """A fetched version: reading it is reading plain files, each checked against its digest."""

    def __init__(self, place: Path, manifest: Manifest) -> None:
        self._place = place
        self._files = {f.path: f for f in manifest.files}
        self.engine = manifest.engine
        self.version = manifest.version
        self.revision = manifest.revision
        self.origin = manifest.origin  # which source was used, in words
        self.gaps = manifest.gaps  # what that source did not hold
        self.notes: tuple[str, ...] = ()  # what happened while fetching, for the user

    @property
    def place(self) -> Path:
        """The folder that holds its files; to be read only."""
        return self._place

    def located(self, path: str) -> Path:
        """Where a file of the tree lies on this machine."""
        return self._place / path

    def files(self) -> tuple[SourceFile, ...]:
        """All files under the target's roots, sorted by path."""
        return tuple(self._files.values())

    def read(self, path: str) -> bytes:
        """The bytes of one listed file; `SourceUnavailableError` if not listed, `CacheError` if it was changed."""
        if path not in self._files:
            raise SourceUnavailableError("is not a file of this tree", where=f"{self.engine}@{self.version} {path}")
        try:
            data = (self._place / path).read_bytes()
        except OSError:
            data = b""
        if digest_of(data) != self._files[path].digest:
            todo = f"`tracer fetch {self.engine}@{self.version}` fetches it again"
            raise CacheError("was changed in the cache", where=f"{self.engine}@{self.version} {path}", todo=todo)
        return data

    def broken(self) -> str:
        """The first file that is not as recorded, or ""."""
        for path in self._files:
            try:
                self.read(path)
            except CacheError:
                return path
        return ""


def folder_of(target: Target, version: Version, *, write: bool = False) -> Path:
    """Where this version is (to be) stored."""
    return cache_dir(write=write) / "trees" / target.name / version.name


def stored(target: Target, version: Version) -> StoredTree | None:
    """The stored tree, or None when it is absent, made by other rules, or its manifest cannot be read."""
    place = folder_of(target, version)
    try:
        manifest = msgspec.json.decode((place / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        return None
    if manifest.format != _FORMAT or manifest.selection != selection_digest(target):
        return None
    if (manifest.engine, manifest.version) != (target.name, version.name):
        return None
    return StoredTree(place, manifest)


@contextlib.contextmanager
def locked(target: Target, version: Version, listener: Listener) -> Iterator[Path]:
    """Hold the lock of this version; yields a fresh working folder that is gone afterwards, whatever happens.

    What a killed process left behind is removed first: with the lock in hand nobody else can be using it.
    """
    import filelock  # only a fetch needs it

    place = folder_of(target, version, write=True)
    with writing(place.parent):
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(place.parent / f".{place.name}.lock")
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            listener.note(f"waiting: another process is fetching {target.name}@{version.name}")
            lock.acquire(poll_interval=0.2)
    try:
        for stale in place.parent.glob(f".{place.name}.tmp-*"):
            with contextlib.suppress(OSError):
                if not place.exists():
                    (stale / _BEFORE).rename(place)  # it ended between the two moves of `store`
            shutil.rmtree(stale, ignore_errors=True)
        work = place.parent / f".{place.name}.tmp-{os.getpid()}"
        with writing(work):
            work.mkdir()
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
    finally:
        lock.release()


def store(target: Target, version: Version, found: Found, work: Path, listener: Listener) -> StoredTree:
    """Write what was found into `work`, then move it to its place in one step. The lock must be held."""
    what = f"reading {target.name} {version.name}"
    place, new = folder_of(target, version), work / "tree"
    files = []
    with writing(place):
        new.mkdir()
        for path, data in _checked(target, found):
            file = new / path
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("xb") as f:
                    f.write(data)
            except (FileExistsError, NotADirectoryError) as e:
                todo = "nothing of it was kept; take another source"
                raise FetchError(f"holds {path!r} more than once", where=found.origin, todo=todo) from e
            files.append(SourceFile(path, len(data), digest_of(data)))
            listener.step(what, len(files))
        if not files:
            roots = ", ".join(target.roots)
            todo = f"is it {target.title} {version.name}?"
            raise FetchError(f"holds no source file under {roots}", where=found.origin, todo=todo)
        files.sort(key=lambda f: f.path)
        revision = Revision(found.kind, tree_digest(files), found.commit, found.tag, target.url)
        gaps = tuple(sorted(found.gaps, key=lambda g: (g.what, g.why)))
        manifest = Manifest(
            _FORMAT, selection_digest(target), target.name, version.name, revision, found.origin, gaps, tuple(files)
        )
        (new / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        if place.exists():
            place.rename(work / _BEFORE)
        new.rename(place)
    return StoredTree(place, manifest)


def tree_digest(files: list[SourceFile]) -> str:
    """One digest over all paths and their digests: the same files give the same, whatever source they are from."""
    return digest_of("".join(f"{f.path}\0{f.digest}\n" for f in sorted(files, key=lambda f: f.path)))


@contextlib.contextmanager
def writing(place: Path) -> Iterator[None]:
    """An `OSError` while writing the cache is a `CacheError` of one line."""
    try:
        yield
    except OSError as e:
        todo = "free some room, or set TRACER_CACHE_DIR to a directory that you can write"
        raise CacheError(f"cannot be written ({e.strerror or e})", where=str(place), todo=todo) from e


def _checked(target: Target, found: Found) -> Iterator[tuple[str, bytes]]:
    """The last gate before the disk: only files that count, and never more than the limits."""
    total = 0
    for path, data in found.entries:
        total += len(data)
        if total > MAX_TOTAL:
            todo = "nothing of it was kept"
            raise FetchError(f"holds more than {MAX_TOTAL >> 30} GiB of source", where=found.origin, todo=todo)
        if len(data) > MAX_FILE or not keeps(target, path) or ".." in path.split("/"):
            raise AssertionError(f"{path} should not have come this far")
        yield path, data
