"""Publication on the GPU: an index of blocks by hash, its one insert helper and the callers up to the scheduler."""

from __future__ import annotations


class BlockStored: ...


class BlockRemoved: ...


class KVCacheBlock:
    block_id: int
    block_hash: bytes | None = None


class EventPublisher:
    def publish(self, batch: list[object]) -> None: ...


class BlockHashToBlockMap:
    def __init__(self) -> None:
        self._cache: dict[bytes, KVCacheBlock] = {}

    def insert(self, key: bytes, block: KVCacheBlock) -> None:
        if key not in self._cache:  # expect: nothing
            self._cache[key] = block  # expect: vllm.publish.gpu-index commit

    def pop(self, key: bytes, block_id: int) -> KVCacheBlock | None:
        block = self._cache.pop(key, None)  # expect: vllm.publish.gpu-index unpublish
        if block is not None and block.block_id != block_id:
            self._cache[key] = block  # expect: nothing
            return None
        return block


class BlockPool:
    def __init__(self) -> None:
        self.cached_block_hash_to_block = BlockHashToBlockMap()
        self.kv_event_queue: list[object] = []

    def index_block(self, key: bytes, block: KVCacheBlock) -> None:
        if block.block_hash is None:
            self.cached_block_hash_to_block.insert(key, block)  # expect: vllm.publish.gpu-index commit
            self.kv_event_queue.append(BlockStored())  # expect: vllm.publish.gpu-events commit

    def say_again(self) -> None:
        self.kv_event_queue.append(BlockStored())  # expect: nothing

    def unindex_block(self, block: KVCacheBlock) -> None:
        assert block.block_hash is not None
        self.cached_block_hash_to_block.pop(block.block_hash, block.block_id)  # expect: vllm.publish.gpu-index unpublish
        self.kv_event_queue.append(BlockRemoved())  # expect: vllm.publish.gpu-events unpublish

    def forget_all(self) -> None:
        self.cached_block_hash_to_block = BlockHashToBlockMap()  # expect: vllm.publish.gpu-index unpublish


class KVCacheManager:
    def __init__(self, pool: BlockPool, publisher: EventPublisher) -> None:
        self.pool = pool
        self.publisher = publisher

    def hand_out(self, block: KVCacheBlock, delay_cache_blocks: bool) -> list[KVCacheBlock]:
        if delay_cache_blocks:
            return [block]  # expect: vllm.publish.gpu-delayed reserve
        self.pool.index_block(b"k", block)  # expect: vllm.publish.gpu-index commit
        return [block]  # expect: nothing

    def tell(self) -> None:
        self.publisher.publish([])  # expect: vllm.publish.gpu-events commit

    def drop(self, block: KVCacheBlock) -> None:
        self.pool.unindex_block(block)  # expect: vllm.publish.gpu-index unpublish

    def drop_bad(self, block: KVCacheBlock) -> None:
        self.pool.unindex_block(block)  # expect: vllm.publish.gpu-evict-by-id unpublish
