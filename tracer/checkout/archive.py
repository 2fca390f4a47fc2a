"""A package archive (sdist or wheel) as a source: read safely, nothing unpacked that does not count.

Takes an archive file; makes repository paths with their bytes. Links are never followed, no path can climb out, and
neither a huge file nor a bomb is unpacked whole. Refuses to know how the file came here.
"""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tracer.checkout.selection import (
    MAX_FILE,
    MAX_MEMBERS,
    MAX_TOTAL,
    Found,
    keeps,
    printable,
    repository_path,
    safe_parts,
    too_large,
    under_roots,
    unusable,
)
from tracer.errors import FetchError
from tracer.model import Gap
from tracer.targets import Target

SUFFIXES = (".tar.gz", ".tgz", ".whl", ".zip")
_MAX_HEADER = 1 << 20  # of a tar member's long name or extended header
# what the readers of the standard library raise on harmed bytes; their own errors are the smaller part
_DAMAGE = (
    *(EOFError, OSError, ValueError, LookupError, ArithmeticError, struct.error),
    *(zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile),
)
_AGAIN = "fetch it again, or take another source"


def read_archive(path: Path, target: Target, origin: str = "") -> Found:
    """What `path` holds of `target`; the archive is read while the entries are consumed."""
    origin = origin or path.name
    found = Found("archive", iter(()), origin)
    members = _tar(path, found, target) if path.name.endswith((".tar.gz", ".tgz")) else _zip(path, found, target)
    found.entries = _errors_in_one_line(members, origin)
    return found


def _errors_in_one_line(entries: Iterator[tuple[str, bytes]], origin: str) -> Iterator[tuple[str, bytes]]:
    try:
        yield from entries
    except _DAMAGE as e:
        why = f"is truncated or damaged ({printable(' '.join(str(e).split())) or type(e).__name__})"
        raise FetchError(why, where=origin, todo=_AGAIN) from e
    except RuntimeError as e:  # zipfile: encrypted, or a compression that it does not know
        raise FetchError(f"cannot be read ({printable(' '.join(str(e).split()))})", where=origin, todo=_AGAIN) from e


class _Member(tarfile.TarInfo):
    """A tar member whose extended header is read only when it is small: it would go into memory whole."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Member:
        member = super().frombuf(buf, encoding, errors)
        headers = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME)
        if member.type in (*headers, tarfile.GNUTYPE_LONGLINK) and member.size > _MAX_HEADER:
            raise tarfile.ReadError("an extended header of more than 1 MiB")
        return member


class _Bounded(io.RawIOBase):
    """The unpacked bytes of a stream, up to a limit."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, limit: int, origin: str) -> None:
        self._stream, self._left, self._limit, self._origin = stream, limit, limit, origin

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if 0 <= size <= self._left else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            what = f"unpacks to more than {self._limit >> 20:,} MiB"
            raise FetchError(what, where=self._origin, todo="nothing of it was kept")
        return data


def _tar(path: Path, found: Found, target: Target) -> Iterator[tuple[str, bytes]]:
    with gzip.open(path, "rb") as unpacked:
        stream = _Bounded(unpacked, MAX_TOTAL, found.origin)
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as tar:
            for number, member in enumerate(tar):
                _count(number, found)
                link = member.issym() or member.islnk()
                place = _place(member.name, found, target, 1, link)
                if not place or not member.isreg():
                    continue
                if member.size > MAX_FILE:
                    found.gaps.append(Gap(place, too_large(member.size)))
                elif file := tar.extractfile(member):
                    data = file.read(MAX_FILE + 1)
                    if len(data) != member.size:
                        raise EOFError("the last member is cut short")
                    yield place, data
        while stream.read(1 << 20):  # the checksum at the end of the stream tells a cut archive from a whole one
            pass


def _zip(path: Path, found: Found, target: Target) -> Iterator[tuple[str, bytes]]:
    strip = 0 if path.name.endswith(".whl") else 1
    with zipfile.ZipFile(path) as archive:
        for number, info in enumerate(archive.infolist()):
            _count(number, found)
            kind = stat.S_IFMT(info.external_attr >> 16)
            place = _place(info.filename, found, target, strip, kind == stat.S_IFLNK)
            if not place or info.is_dir() or kind not in (0, stat.S_IFREG):
                continue
            if info.file_size > MAX_FILE:
                found.gaps.append(Gap(place, too_large(info.file_size)))
                continue
            with archive.open(info) as file:
                data = file.read(MAX_FILE + 1)
                if len(data) != info.file_size or file.read(1):
                    raise zipfile.BadZipFile(f"{printable(info.filename)} is not of the size it is said to have")
            yield place, data


def _count(number: int, found: Found) -> None:
    if number >= MAX_MEMBERS:
        todo = "nothing of it was kept"
        raise FetchError(f"holds more than {MAX_MEMBERS:,} members", where=found.origin, todo=todo)


def _place(name: str, found: Found, target: Target, strip: int, link: bool) -> str:
    """The repository path of a member that counts, "" for others; unsafe names are an error even if they do not."""
    parts = safe_parts(name, found.origin)
    place = repository_path(target, "/".join(parts[strip:]))
    if link and under_roots(target, place):
        found.gaps.append(Gap(printable(place), f"left out: a link in {found.origin}"))
    if link or not keeps(target, place):
        return ""
    if why := unusable(name):
        found.gaps.append(Gap(printable(place), f"left out: {why}"))
        return ""
    return place
