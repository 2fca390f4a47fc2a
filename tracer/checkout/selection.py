"""Which files of a source count, and what they are called in the repository.

Takes a target and a path as an archive, a git tree or a folder spells it; makes the repository path, or refuses it.
Everything a source names is untrusted: a path that could leave its folder is an error, never a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tracer.errors import FetchError
from tracer.model import Gap, digest_of
from tracer.targets import Target

MAX_FILE = 8 << 20  # a larger source file is generated data; it becomes a gap
MAX_TOTAL = 1 << 30  # bytes of one source, unpacked
MAX_MEMBERS = 200_000  # entries of one source
Entries = Iterator[tuple[str, bytes]]


@dataclass(slots=True)
class Found:
    """What a source gives: repository paths with their bytes, and what is known of it. Gaps grow while it is read."""

    kind: str
    entries: Entries
    origin: str = ""  # the source in words, without secrets: a file name, a URL
    commit: str = ""
    tag: str = ""
    gaps: list[Gap] = field(default_factory=list)


def selection_digest(target: Target) -> str:
    """Changes when other files of a source would be kept, so that a tree kept by older rules is not taken for whole."""
    parts = (target.roots, sorted(target.all_suffixes), sorted(target.layout.items()))
    return digest_of(repr(parts))


def keeps(target: Target, path: str) -> bool:
    """Whether a repository path lies under the target's roots and has one of its suffixes."""
    return path.endswith(target.all_suffixes) and under_roots(target, path)


def under_roots(target: Target, path: str) -> bool:
    """Whether a repository path lies under the target's roots."""
    return any(not r or path.startswith(r + "/") for r in target.roots)


def repository_path(target: Target, member: str) -> str:
    """The repository path of a file inside a package archive (its top folder already taken off)."""
    prefix = max((p for p in target.layout if member.startswith(p)), key=len, default=None)
    return member if prefix is None else target.layout[prefix] + member[len(prefix) :]


def safe_parts(name: str, where: str) -> list[str]:
    """The parts of a member's name; `FetchError` if it is absolute, climbs with `..` or cannot be a file name."""
    parts = [p for p in name.replace("\\", "/").split("/") if p not in ("", ".")]
    if name.startswith(("/", "\\")) or ".." in parts or "\0" in name or (parts and parts[0][1:2] == ":"):
        raise FetchError(
            f"holds the unsafe path {printable(name)!r}",
            where=where,
            todo="nothing of it was kept; take another source",
        )
    return parts


def printable(name: str, limit: int = 80) -> str:
    """`name` fit for a message of one line: nothing that a terminal obeys, at most `limit` characters."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name.encode("utf-8", "replace").decode("utf-8"))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def unusable(name: str) -> str:
    """Why a file of this name cannot be kept, or ""."""
    if "\\" in name:
        return "its name holds a backslash"
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    return "its name holds a control character" if not name.isprintable() else ""


def too_large(size: int) -> str:
    """Why a file of `size` bytes is left out."""
    return f"left out: {size:,} bytes, more than {MAX_FILE >> 20} MiB"
