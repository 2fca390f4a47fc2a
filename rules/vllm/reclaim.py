"""Reclaim: a free queue in order of reuse, an evicting policy, and a reader that deletes what is torn."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod


class FreeKVCacheBlockQueue:
    def append_n(self, blocks: list[int]) -> None: ...

    def popleft_n(self, n: int) -> list[int]: ...


class Pool:
    def __init__(self) -> None:
        self.queue = FreeKVCacheBlockQueue()
        self.events: list[int] = []

    def give_back(self, blocks: list[int]) -> None:
        self.queue.append_n(blocks)  # expect: vllm.reclaim.gpu-free-queue free
        self.events.append(len(blocks))  # expect: nothing

    def take(self, n: int) -> list[int]:
        return self.queue.popleft_n(n)  # expect: vllm.reclaim.gpu-free-queue evict


class Manager:
    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def free(self, blocks: list[int]) -> None:
        self.pool.give_back(blocks)  # expect: vllm.reclaim.gpu-free-queue free


class CachePolicy(ABC):
    @abstractmethod
    def evict(self, n: int) -> list[bytes] | None: ...

    @abstractmethod
    def touch(self, key: bytes) -> None: ...


class CPUOffloadingManager:
    def __init__(self, policy: CachePolicy) -> None:
        self._policy: CachePolicy = policy
        self._free_list: list[int] = []
        self._num_evictable_cache_chunks = 0

    def room(self, n: int) -> bool:
        if n > self._num_evictable_cache_chunks:  # expect: vllm.reclaim.host-chunks detect
            return False
        self._policy.evict(n)  # expect: vllm.reclaim.host-chunks evict
        self._policy.touch(b"k")  # expect: nothing
        self._free_list.append(n)  # expect: vllm.reclaim.host-chunks free
        return True


def read(source_path: str, got: int, want: int) -> None:
    if got < want:
        os.remove(source_path)  # expect: vllm.reclaim.remote-torn-file evict


def tidy(tmp_path: str) -> None:
    os.remove(tmp_path)  # expect: nothing


class Scheduler:
    def __init__(self) -> None:
        self.requests: dict[str, object] = {}

    def forget(self, req_id: str) -> None:
        del self.requests[req_id]  # expect: vllm.reclaim.request free


class KVConnectorBase_V1:
    def reset_cache(self) -> None: ...


class Resetter:
    def __init__(self, connector: KVConnectorBase_V1) -> None:
        self.connector: KVConnectorBase_V1 = connector

    def reset(self) -> None:
        self.connector.reset_cache()  # expect: vllm.reclaim.remote-store evict


class SimpleCPUOffloadScheduler:
    def __init__(self, cpu_pool: Pool) -> None:
        self.cpu_block_pool: Pool = cpu_pool

    def copied(self, blocks: list[int]) -> None:
        self.cpu_block_pool.give_back(blocks)  # expect: vllm.reclaim.host-second-pool free
