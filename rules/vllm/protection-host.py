"""Protection on the host: a count on the chunk; recency is not protection."""

from __future__ import annotations

from abc import ABC, abstractmethod


class ChunkStatus:  # expect: vllm.protection.host-chunk-count define
    def __init__(self) -> None:
        self.ref_cnt = -1  # expect: nothing


class CachePolicy(ABC):
    @abstractmethod
    def get(self, key: bytes) -> ChunkStatus: ...

    @abstractmethod
    def touch(self, key: bytes) -> None: ...

    def mark_evictable(self, key: bytes) -> None: ...


class Shelf:
    def __init__(self, policy: CachePolicy) -> None:
        self._policy: CachePolicy = policy

    def read(self, key: bytes) -> None:
        chunk = self._policy.get(key)
        chunk.ref_cnt += 1  # expect: vllm.protection.host-chunk-count acquire
        self._policy.touch(key)  # expect: nothing

    def read_done(self, key: bytes) -> None:
        chunk = self._policy.get(key)
        chunk.ref_cnt -= 1  # expect: vllm.protection.host-chunk-count release
        if chunk.ref_cnt == 0:  # expect: nothing
            self._policy.mark_evictable(key)  # expect: vllm.protection.host-chunk-count release


class Cascade:
    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def down(self, key: bytes) -> None:
        self.shelf.read(key)  # expect: vllm.protection.host-chunk-count acquire


class SimpleCPUOffloadScheduler:
    def __init__(self) -> None:
        self._pending_cpu_hits: dict[str, list[int]] = {}

    def found(self, request_id: str, blocks: list[int]) -> None:
        self._pending_cpu_hits[request_id] = blocks  # expect: vllm.protection.host-pending-hits acquire

    def given(self, request_id: str) -> None:
        self._pending_cpu_hits.pop(request_id, None)  # expect: vllm.protection.host-pending-hits release


class LMCacheConnectorV1Impl:
    def __init__(self, engine: object, client: object) -> None:
        self.lmcache_engine = engine
        self.lookup_client = client

    def begin(self, tokens: list[int]) -> int:
        return self.lookup_client.lookup(tokens)  # expect: vllm.protection.host-lmcache-pins acquire

    def end(self, req_id: str) -> None:
        self.lmcache_engine.post_init()  # expect: nothing
        self.lmcache_engine.lookup_unpin(req_id)  # expect: vllm.protection.host-lmcache-pins release


class KVCacheBlock:
    ref_cnt: int = 0


class BlockPool:
    def pin(self, block: KVCacheBlock) -> None:
        block.ref_cnt += 1  # expect: nothing

    def unpin(self, block: KVCacheBlock) -> None:
        block.ref_cnt -= 1  # expect: nothing


class SimpleCPUOffloadScheduler:
    def __init__(self, host: BlockPool, device: BlockPool) -> None:
        self.cpu_block_pool: BlockPool = host
        self._gpu_block_pool: BlockPool = device

    def begin(self, block: KVCacheBlock, other: KVCacheBlock) -> None:
        self.cpu_block_pool.pin(block)  # expect: vllm.protection.host-second-pool acquire
        self._gpu_block_pool.pin(other)  # expect: nothing

    def end(self, block: KVCacheBlock) -> None:
        self.cpu_block_pool.unpin(block)  # expect: vllm.protection.host-second-pool release


class HiSparseSourceManager:
    def __init__(self, pool: BlockPool) -> None:
        self.block_pool: BlockPool = pool


class Detached:
    def __init__(self, manager: HiSparseSourceManager) -> None:
        self.host_manager: HiSparseSourceManager = manager

    def keep(self, block: KVCacheBlock) -> None:
        self.host_manager.block_pool.pin(block)  # expect: vllm.protection.host-detached-pages acquire
