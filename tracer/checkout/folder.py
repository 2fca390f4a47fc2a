"""A folder as a source: the user's own working tree, read where it lies, or a folder given to `fetch`.

Takes a folder; makes a tree whose revision is the digest of its content. Follows no link and changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tracer.checkout.selection import MAX_FILE, MAX_MEMBERS, Found, keeps, repository_path, too_large, unusable
from tracer.checkout.store import tree_digest
from tracer.errors import FetchError, SourceUnavailableError
from tracer.model import Gap, Revision, SourceFile, digest_of
from tracer.targets import Target

_SKIPPED = ("__pycache__", "node_modules", "venv", "site-packages")


def any_target(name: str) -> Target:
    """A target for a folder of no known engine: every Python and C++ file in it, modules named from its top."""
    suffixes = {"python": (".py", ".pyi"), "cpp": (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".cuh", ".cu")}
    return Target(name, name, "", roots=("",), suffixes=suffixes, packages={"": ""})


class FolderTree:
    """A folder, listed once; a file that changes afterwards is refused rather than read as something else."""

    def __init__(self, place: Path, target: Target, version: str = "") -> None:
        self._place = place
        gaps: list[Gap] = []
        self._sources = dict(_files(place, target, gaps))
        contents = _contents(self._sources, gaps)
        self._files = {path: SourceFile(path, len(data), digest_of(data)) for path, data in contents}
        files = list(self._files.values())
        digest = tree_digest(files)
        self.engine = target.name
        self.version = version or f"folder-{digest[:8]}"
        self.revision = Revision("folder", digest)
        self.origin = place.name
        self.gaps = tuple(sorted(gaps, key=lambda g: (g.what, g.why)))
        self.notes: tuple[str, ...] = ()
        if not files:
            roots = ", ".join(r for r in target.roots if r) or "it"
            raise SourceUnavailableError(f"no source file under {roots}", where=str(place), todo="give another folder")

    def located(self, path: str) -> Path:
        """Where a file of the tree lies on this machine."""
        return self._sources[path].resolve()

    def files(self) -> tuple[SourceFile, ...]:
        """All files under the target's roots, sorted by path."""
        return tuple(self._files[p] for p in sorted(self._files))

    def read(self, path: str) -> bytes:
        """The bytes of one listed file; `SourceUnavailableError` if it is not listed or no longer the same."""
        if path not in self._files:
            raise SourceUnavailableError("is not a file of this tree", where=path)
        try:
            data = self._sources[path].read_bytes()
        except OSError:
            data = b""
        if digest_of(data) != self._files[path].digest:
            raise SourceUnavailableError(
                "was changed while it was being read", where=path, todo="run the command again"
            )
        return data


def read_folder(place: Path, target: Target) -> Found:
    """What the folder `place` holds of `target`: a checkout, or an unpacked package archive."""
    found = Found("folder", iter(()), place.name)
    found.entries = _contents(dict(_files(place, target, found.gaps)), found.gaps)
    return found


def _contents(sources: dict[str, Path], gaps: list[Gap]) -> Iterator[tuple[str, bytes]]:
    for path in sorted(sources):
        try:
            data = sources[path].read_bytes()
        except OSError as e:
            gaps.append(Gap(path, f"left out: cannot be read ({e.strerror or e})"))
            continue
        yield path, data


def _files(place: Path, target: Target, gaps: list[Gap]) -> Iterator[tuple[str, Path]]:
    if not place.is_dir():
        raise SourceUnavailableError("is not a folder", where=str(place), todo="give a folder that exists")
    yield from _walk(place, target, gaps)


def _walk(place: Path, target: Target, gaps: list[Gap]) -> Iterator[tuple[str, Path]]:
    """Repository path and file of each file that counts; the roots first, else as a package archive is laid out."""
    tops = [r for r in target.roots if not (place / r).is_symlink() and (place / r).is_dir()]
    unpacked = not tops
    if unpacked:
        tops = [p.rstrip("/") for p in target.layout if p.endswith("/")]
    number = 0
    for top in tops:
        for folder, folders, names in os.walk(place / top):
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
            links = [Path(folder, f) for f in folders if Path(folder, f).is_symlink()]  # os.walk does not enter them
            gaps.extend(Gap(link.relative_to(place).as_posix(), "left out: a link") for link in links)
            for name in sorted(names):
                file = Path(folder, name)
                relative = file.relative_to(place).as_posix()
                path = repository_path(target, relative) if unpacked else relative
                if not keeps(target, path):
                    continue
                number += 1
                if number > MAX_MEMBERS:
                    raise FetchError(
                        f"holds more than {MAX_MEMBERS:,} files", where=str(place), todo="give its roots only"
                    )
                if why := unusable(path) or _unreadable(file):
                    gaps.append(Gap(path.encode("utf-8", "replace").decode(), f"left out: {why}"))
                else:
                    yield path, file


def _unreadable(file: Path) -> str:
    if file.is_symlink():
        return "a link"
    try:
        size = file.stat().st_size
    except OSError as e:
        return f"cannot be read ({e.strerror or e})"
    if not file.is_file():
        return "not a plain file"
    return too_large(size).removeprefix("left out: ") if size > MAX_FILE else ""
