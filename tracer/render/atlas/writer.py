"""Writes a site into a folder: only what changed, nothing that is half done, and nothing left over from before.

Takes pages and what they share; keeps a manifest (`atlas.json`) of each page's inputs and bytes. A page whose inputs
are those of the manifest, and whose file is still that, is not made again. While a build runs, a journal names each
file before it is written, so that a build which ends in the middle, however it ends, is taken up by the next one.
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tracer import atomic, catalog
from tracer.errors import TracerError, UsageError
from tracer.model import digest_of
from tracer.render.atlas import frame
from tracer.render.atlas.page import Page

MANIFEST = "atlas.json"
ASSETS = "assets"
FORMAT = 1
_JOURNAL = ".atlas-journal"

Files = dict[str, dict[str, str]]  # by path: the digest of what it was made from, and of its bytes


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: pages and other files there are now, how many were made, written, removed; bytes together."""

    files: int
    made: int
    written: int
    removed: int
    size: int


def write(pages: Iterable[Page], common: Mapping[str, Any], out: Path) -> Built:
    """Write the site into `out`. Raises `UsageError` if the folder holds something else, `TracerError` if it cannot."""
    _before(out)  # refuse before anything is written
    try:
        out.mkdir(parents=True, exist_ok=True)
        with atomic.alone(out):  # another build of this folder waits
            return _write(pages, common, out, _before(out))
    except OSError as error:
        reason = error.strerror or str(error)
        raise TracerError(f"cannot be written ({reason})", where=str(out), todo="choose another --out") from error


def _write(pages: Iterable[Page], common: Mapping[str, Any], out: Path, before: Files) -> Built:
    after: Files = {}
    shared = digest_of(_program() + json.dumps(common, ensure_ascii=False, sort_keys=True))
    made = written = size = 0
    for folder in [out, *sorted(d for d in out.rglob("*") if d.is_dir())]:
        atomic.clear(folder)
    if not (out / MANIFEST).exists():
        _put(out, MANIFEST, _manifest({}))
    with (out / _JOURNAL).open("a", encoding="utf-8") as journal:

        def put(path: str, data: bytes, inputs: str) -> int:
            after[path] = {"inputs": inputs, "bytes": digest_of(data)}
            if _read(out / path) == data:
                return 0
            journal.write("\n" + json.dumps({path: after[path]}))  # the line before it may be half a line
            journal.flush()
            return _put(out, path, data)

        for name, data in assets().items():
            written += put(f"{ASSETS}/{name}", data, "")
            size += len(data)
        for page in pages:
            _check(page.path, after)
            inputs = digest_of(shared + _inputs(page))
            known = before.get(page.path, {})
            held = _read(out / page.path) if known.get("inputs") == inputs else None
            if held is None or digest_of(held) != known.get("bytes"):
                held = frame.render(page, common).encode("utf-8", "replace")
                made += 1
            written += put(page.path, held, inputs)
            size += len(held)
    removed = _remove(out, before.keys() - after.keys())
    written += _put(out, MANIFEST, _manifest(after))
    (out / _JOURNAL).unlink()
    return Built(len(after), made, written, removed, size)


def _manifest(files: Mapping[str, Mapping[str, str]]) -> bytes:
    text = json.dumps({"format": FORMAT, "files": files}, ensure_ascii=False, indent=0, sort_keys=True)
    return (text + "\n").encode()


def _before(out: Path) -> Files:
    """The files that earlier builds left: those of the manifest, and of the journal of one that did not end."""
    todo = "choose an empty folder, or one that an atlas was written into"
    if not out.exists():
        return {}
    if not out.is_dir():
        raise UsageError("is no folder", where=str(out), todo=todo)
    manifest = out / MANIFEST
    if not manifest.is_file():
        if any(not held.name.endswith(atomic.HALF) for held in out.iterdir()):
            raise UsageError("holds files that are not an atlas", where=str(out), todo=todo)
        return {}
    try:
        found = json.loads(manifest.read_bytes())
        if found["format"] != FORMAT:
            raise ValueError("another format")
        return _entries(found["files"]) | _journal(out)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{MANIFEST} is not an atlas's ({error})", where=str(out), todo=todo) from error


def _journal(out: Path) -> Files:
    known: Files = {}
    for line in (_read(out / _JOURNAL) or b"").splitlines():
        with contextlib.suppress(ValueError, TypeError, RecursionError):  # the last line may be half a line
            known |= _entries(json.loads(line))
    return known


def _entries(files: object) -> Files:
    if not isinstance(files, dict):
        raise TypeError("no files in it")
    return {k: v for k, v in files.items() if _is_inside(k) and isinstance(v, dict)}


def _check(path: str, taken: Mapping[str, object]) -> None:
    if not _is_inside(path) or path in taken:
        raise TracerError(f"two pages, or one outside of the site: {path}", todo="report this")


def _is_inside(path: object) -> bool:
    if not isinstance(path, str):
        return False
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\\" not in path and "\0" not in path


def _inputs(page: Page) -> str:
    return json.dumps(asdict(page), ensure_ascii=False, sort_keys=True)


@functools.lru_cache
def _program() -> str:
    """A digest over what makes pages: the templates, the strings, and this package."""
    roots = (catalog.shipped("reports") / "atlas" / "templates", Path(__file__).parent)
    found = [(f.relative_to(root).as_posix(), digest_of(f.read_bytes()))
             for root in roots for f in sorted(root.rglob("*.py" if root == roots[1] else "*.j2"))]
    strings = (roots[0].parent / "strings.yaml").read_bytes()
    return digest_of(repr((found, digest_of(strings))))


def assets() -> dict[str, bytes]:
    """The files that go into `assets/` as they are."""
    root = catalog.shipped("reports") / "atlas" / ASSETS
    return {f.relative_to(root).as_posix(): f.read_bytes() for f in sorted(root.rglob("*")) if f.is_file()}


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _put(out: Path, path: str, data: bytes) -> int:
    """Write one file in one step if its bytes differ; how many were written."""
    file = out / path
    if _read(file) == data:
        return 0
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.is_symlink():
        file.unlink()  # nothing is written outside of the site
    atomic.write(file, data)
    return 1


def _remove(out: Path, paths: Iterable[str]) -> int:
    """Remove files of an earlier build that are no longer part of it, and folders that are empty then."""
    gone = 0
    for path in sorted(paths):
        file = out / path
        if file.is_file() and out.resolve() in file.resolve().parents:
            file.unlink()
            gone += 1
        for folder in [*file.parents]:
            if folder == out or out not in folder.parents or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    return gone
