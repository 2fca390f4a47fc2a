"""Errors that a user can act on: each is one line that says what failed, where, and what to do next."""

from __future__ import annotations


class TracerError(Exception):
    """Base of all errors meant for a user. `exit_code` follows DESIGN: 2 usage, 3 could not answer."""

    exit_code = 3

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        self.what, self.where, self.todo = what, where, todo
        super().__init__(": ".join(p for p in (where, what) if p) + (f" — {todo}" if todo else ""))


class UsageError(TracerError):
    """A name or option that does not exist; the message carries the nearest ones."""

    exit_code = 2


class SourceUnavailableError(TracerError):
    """An engine's source is not in the cache and could not be fetched."""


class FetchError(TracerError):
    """A fetch that failed: unreachable host, wrong digest, unsafe or truncated archive."""


class RuleError(TracerError):
    """A rule file that does not follow the schema."""

    exit_code = 2


class CacheError(TracerError):
    """The cache directory cannot be written or holds something unusable."""


class SourceParseError(TracerError):
    """A file or function that does not parse; callers turn it into a gap."""
