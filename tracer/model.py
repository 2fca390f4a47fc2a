"""The nouns of Tracer. Standard library only; every stage speaks in these.

Lines are 1-based and closed; paths are repository-relative POSIX; a digest is BLAKE2b-128 hex of text.
A type that only one stage uses lives in that stage (facts: `survey/facts.py`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

ROLES: tuple[str, ...] = (
    "request_state",
    "publish",
    "protection",
    "completion",
    "lookup",
    "key",
    "load",
    "reclaim",
    "failure",
)
ACTIONS: dict[str, tuple[str, ...]] = {
    "request_state": ("define", "transition"),
    "publish": ("reserve", "commit", "revoke", "unpublish"),
    "protection": ("define", "derive", "acquire", "release", "expire", "observe"),
    "completion": ("define", "signal", "relay", "observe"),
    "lookup": ("query",),
    "key": ("derive",),
    "load": ("acquire", "restore"),
    "reclaim": ("detect", "evict", "free"),
    "failure": ("detect", "fallback", "retry"),
}
LAYERS: tuple[str, ...] = ("gpu", "host", "remote", "transfer", "engine")
EDGE_KINDS: tuple[str, ...] = (
    "call",
    "dynamic",
    "callback",
    "thread",
    "async",
    "process",
    "rpc",
    "binding",
    "device",
    "state",
)
Basis = Literal["exact", "typed", "inherited", "declared", "by_name", "observed", "unresolved"]
BASES: tuple[Basis, ...] = ("exact", "typed", "inherited", "declared", "by_name", "observed", "unresolved")


def digest_of(data: bytes | str) -> str:
    """BLAKE2b-128 hex of `data` (text is taken as UTF-8, surrogates kept); 32 characters."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


_ALONE = re.compile(rb"\r(?!\n)")


def line_ends(data: bytes) -> bytes:
    """With a line feed for each carriage return that stands alone: Python and code hosts begin a line there."""
    return _ALONE.sub(b"\n", data) if b"\r" in data else data


def lines_of(data: bytes) -> list[str]:
    """The lines of a file as digests and excerpts see them: UTF-8 with replacements, without line ends."""
    lines = line_ends(data).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def digest_lines(lines: Sequence[str], first: int, last: int) -> str:
    """Digest of lines `first`..`last` (1-based, closed), "" if the file has no such lines."""
    if not 1 <= first <= last <= len(lines):
        return ""
    return digest_of("\n".join(lines[first - 1 : last]))


@dataclass(frozen=True, slots=True)
class Span:
    """Lines `first`..`last` of `path`, and the digest of their text; never the text itself."""

    path: str
    first: int
    last: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """What was read: `kind` git|archive|folder, the commit where known, and a digest over all files read."""

    kind: str
    digest: str
    commit: str = ""
    tag: str = ""
    url: str = ""  # web address of the repository, for permalinks


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source tree: repository-relative path, size in bytes, digest of its bytes."""

    path: str
    size: int
    digest: str


class SourceTree(Protocol):
    """A read-only, pinned tree of files. Implementations: archive, git, folder (all in `checkout/`)."""

    engine: str
    version: str
    revision: Revision

    def files(self) -> Sequence[SourceFile]:
        """All files under the target's roots, sorted by path."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of one listed file; `SourceUnavailableError` if it is not listed."""
        ...


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be answered: a file that does not parse, a rule that matches nothing, …"""

    what: str  # rule id, file path or symbol
    why: str  # one line, with what to do where something can be done


@dataclass(frozen=True, slots=True)
class Site:
    """A statement that plays an action of a role, found by a rule."""

    rule: str
    role: str
    action: str
    layer: str
    symbol: str
    file: str
    def_line: int
    first: int
    last: int
    digest: str
    basis: Basis
    guards: tuple[str, ...] = ()
    stack: str = ""
    context: str = ""  # "" live · test · mock · bench · dead · twin …
    via: tuple[str, ...] = ()  # lifted: the chain down to the mechanism, nearest first
    why: str = ""  # what is guarded / what happens, from the rule (English)
    permalink: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """One place that uses a state or calls a function."""

    symbol: str
    file: str
    line: int
    op: str
    text_digest: str
    basis: Basis


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` reaches `target` at `file:line`; an unresolved target keeps its source text.

    `via` is "return" where not control but a result travels: from a function to the caller that uses it.
    """

    source: str
    target: str
    kind: str
    basis: Basis
    file: str
    line: int
    via: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a path; `edge` is how it was reached from the step before, at `from_file:from_line`."""

    symbol: str
    file: str
    def_line: int
    edge: str = ""
    from_file: str = ""
    from_line: int = 0
    basis: Basis = "exact"
    engine: str = ""
    mark: str = ""  # which way-point of a named path this step is
    others: int = 0  # how many more implementations the same call may reach
    guards: tuple[str, ...] = ()  # the conditions under which it is reached


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from start to end; `end` is "complete" or why it stops."""

    name: str
    title: str
    steps: tuple[Step, ...]
    end: str


@dataclass(frozen=True, slots=True)
class EngineRevision:
    """Which engine, version and revision an answer is about."""

    name: str
    version: str
    revision: Revision


@dataclass(frozen=True, slots=True)
class Trace:
    """The only thing that is saved and all that later stages may read."""

    engines: tuple[EngineRevision, ...]
    sites: tuple[Site, ...] = ()
    edges: tuple[Edge, ...] = ()
    paths: tuple[Path, ...] = ()
    gaps: tuple[Gap, ...] = field(default=())
