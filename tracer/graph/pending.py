"""Evaluations in progress, so that one that meets itself ends, and what it gave meanwhile is not kept.

A value found while something was cut short ("that is being worked out already") depends on where the question began.
Kept, it would make answers depend on what was asked first; so only values that met no cycle are kept, and a cycle is
walked again from each of its members.
"""

from __future__ import annotations

_NEVER = 1 << 30


class Pending:
    """The stack of evaluations in progress and how far down the last cut reaches."""

    def __init__(self) -> None:
        self._at: dict[object, int] = {}
        self._low = _NEVER
        self._outer: list[int] = []

    @property
    def depth(self) -> int:
        """How many evaluations are in progress."""
        return len(self._outer)

    def beyond(self, limit: int) -> bool:
        """Whether more than `limit` are in progress, so that the chain ends here (and nothing on it is kept)."""
        if len(self._outer) <= limit:
            return False
        self._low = 0
        return True

    def enter(self, key: object) -> bool:
        """Begin to work out `key`; False if that is in progress already: give nothing, and do not call `leave`."""
        at = self._at.get(key)
        if at is not None:
            self._low = min(self._low, at)
            return False
        self._at[key] = len(self._outer)
        self._outer.append(self._low)
        self._low = _NEVER
        return True

    def leave(self, key: object) -> bool:
        """End `key`; True if nothing was cut short for its value, so that it may be kept."""
        outer, low = self._outer.pop(), self._low
        self._low = min(outer, low) if low < self._at.pop(key) else outer
        return low == _NEVER
