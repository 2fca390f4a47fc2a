"""Publication on the host: a not-ready chunk under its key, the count that makes it readable, and the way back."""

from __future__ import annotations

from abc import ABC, abstractmethod


class ChunkStatus:
    def __init__(self) -> None:
        self.ref_cnt = -1  # expect: nothing

    @property
    def is_ready(self) -> bool:
        return self.ref_cnt >= 0


class CachePolicy(ABC):
    @abstractmethod
    def get(self, key: bytes) -> ChunkStatus | None: ...

    @abstractmethod
    def insert(self, key: bytes, chunk: ChunkStatus) -> None: ...

    @abstractmethod
    def remove(self, key: bytes) -> None: ...

    @abstractmethod
    def evict(self, n: int) -> list[bytes] | None: ...


class OffloadingManager(ABC):
    @abstractmethod
    def prepare_store(self, keys: list[bytes]) -> None: ...

    def complete_store(self, keys: list[bytes], success: bool = True) -> None: ...


class Shelf(OffloadingManager):
    def __init__(self, policy: CachePolicy) -> None:
        self._policy: CachePolicy = policy
        self.seen: set[bytes] = set()

    def prepare_store(self, keys: list[bytes]) -> None:
        self._policy.evict(len(keys))  # expect: vllm.publish.host-chunks unpublish
        for key in keys:
            self._policy.insert(key, ChunkStatus())  # expect: vllm.publish.host-chunks reserve
            self.seen.add(key)  # expect: nothing

    def complete_store(self, keys: list[bytes], success: bool = True) -> None:
        for key in keys:
            chunk = self._policy.get(key)  # expect: nothing
            if chunk is None or chunk.is_ready:
                continue
            if success:
                chunk.ref_cnt = 0  # expect: vllm.publish.host-chunks commit
            else:
                self._policy.remove(key)  # expect: vllm.publish.host-chunks revoke


class Planner:
    def __init__(self, manager: OffloadingManager) -> None:
        self.manager: OffloadingManager = manager

    def plan(self, keys: list[bytes]) -> None:
        self.manager.prepare_store(keys)  # expect: vllm.publish.host-chunks reserve

    def done(self, keys: list[bytes]) -> None:
        self.manager.complete_store(keys)  # expect: vllm.publish.host-chunks commit


class _PendingPublication:
    pages: int = 0


class Pages:
    def later(self) -> _PendingPublication:
        return _PendingPublication()  # expect: vllm.publish.host-detached-pages reserve


class BlockHashToBlockMap:
    def __init__(self) -> None:
        self._cache: dict[bytes, int] = {}

    def put(self, key: bytes, block: int) -> None:
        self._cache[key] = block  # expect: nothing


class SecondPool:
    def __init__(self) -> None:
        self.index = BlockHashToBlockMap()

    def copied(self, key: bytes, block: int) -> None:
        self.index.put(key, block)  # expect: vllm.publish.host-second-pool commit


class KVCacheBlock:
    def __init__(self) -> None:
        self._block_hash: bytes | None = None

    def reset_hash(self) -> None:
        self._block_hash = None  # expect: vllm.publish.host-second-pool reserve


def stamp(block: KVCacheBlock, key: bytes) -> None:
    block._block_hash = key  # expect: vllm.publish.host-second-pool reserve


def give_up(block: KVCacheBlock) -> None:
    block.reset_hash()  # expect: vllm.publish.host-second-pool revoke


class ARCOffloadingManager(OffloadingManager):
    def __init__(self) -> None:
        self.t1: dict[bytes, ChunkStatus] = {}
        self.t2: dict[bytes, ChunkStatus] = {}

    def touch(self, key: bytes) -> None:
        self.t2[key] = self.t1.pop(key)  # expect: nothing (recency)

    def prepare_store(self, keys: list[bytes]) -> None:
        for key in keys:
            del self.t2[key]  # expect: vllm.publish.host-chunks unpublish
            self.t1[key] = ChunkStatus()  # expect: vllm.publish.host-chunks reserve

    def complete_store(self, keys: list[bytes], success: bool = True) -> None:
        for key in keys:
            self.t1.pop(key, None)  # expect: vllm.publish.host-chunks revoke
