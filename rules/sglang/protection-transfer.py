"""Slots of a failed transfer are held until the writer has drained; prefill lets go at a terminal poll."""

from __future__ import annotations


class BasePrefixCache:
    def unlock(self, lock: int) -> None: ...


class CommonKVManager:
    def is_abort_release_safe(self, room: int) -> bool: ...


def give_row_back(cache: BasePrefixCache, lock: int) -> None:
    cache.unlock(lock)  # expect: nothing


class PrefillSide:
    cache: BasePrefixCache

    def sent(self, lock: int) -> None:
        give_row_back(self.cache, lock)  # expect: release


class DecodeTransferQueue:
    kv_mgr: CommonKVManager

    def __init__(self) -> None:
        self._deferred_releases: list[int] = []

    def hold(self, room: int) -> None:
        self._deferred_releases.append(room)  # expect: acquire

    def look(self, room: int) -> bool:
        return self.kv_mgr.is_abort_release_safe(room)  # expect: expire

    def how_many(self) -> int:
        return len(self._deferred_releases)  # expect: nothing

    def keep(self, still: list[int]) -> None:
        self._deferred_releases = still  # expect: release
