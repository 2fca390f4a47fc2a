"""A host index with a policy, a store behind it, and a ghost queue of keys whose blocks are gone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path


class TensorPoolAllocator(ABC):
    @abstractmethod
    def alloc(self, size: int) -> object: ...


class BaseEvictionPolicy(ABC):
    def __init__(self) -> None:
        self._hashmap: dict[str, object] = {}

    @abstractmethod
    def put(self, key: str, block: object) -> None: ...

    @abstractmethod
    def delete(self, key: str) -> None: ...

    def __contains__(self, key: str) -> bool:
        return key in self._hashmap  # expect: nothing


class Queue:
    def append(self, node: object) -> None: ...


class S3FIFO(BaseEvictionPolicy):
    def __init__(self) -> None:
        super().__init__()
        self._main_fifo = Queue()
        self._ghost_fifo = Queue()

    def put(self, key: str, block: object) -> None:
        node = self._hashmap.get(key)
        if node is None:
            self._hashmap[key] = block  # expect: host-index commit
            self._main_fifo.append(block)  # expect: nothing (the map has it already)
        elif node == self._ghost_fifo:
            self._main_fifo.append(block)  # expect: host-ghost commit

    def delete(self, key: str) -> None:
        self._hashmap.pop(key, None)  # expect: host-index unpublish

    def age(self, node: object) -> None:
        self._ghost_fifo.append(node)  # expect: host-ghost unpublish


class Connector(ABC):
    @abstractmethod
    async def put(self, key: str, block: object) -> None: ...

    @abstractmethod
    async def delete(self, key: str) -> None: ...

    @abstractmethod
    async def exists(self, key: str) -> bool: ...

    async def allocate(self, key: str) -> object: ...

    async def seal(self, region: object) -> None: ...

    async def drop(self, region: object) -> None: ...


class L2Cache:
    def __init__(self, connector: Connector) -> None:
        self._connector = connector

    async def put(self, key: str, block: object) -> None:
        if not await self._connector.exists(key):  # expect: nothing
            await self._connector.put(key, block)  # expect: store-put commit

    async def delete(self, key: str) -> None:
        await self._connector.delete(key)  # expect: store-put unpublish

    def _enqueue_mr_op(self, region: object, op: object) -> None: ...

    async def write_in_place(self, key: str, good: bool) -> None:
        region = await self._connector.allocate(key)  # expect: store-region reserve
        if good:
            self._enqueue_mr_op(region, self._connector.seal)  # expect: store-region commit
        else:
            self._enqueue_mr_op(region, self._connector.drop)  # expect: store-region revoke


class KVCacheManager(ABC):
    @abstractmethod
    def put(self, key: str, block: object) -> None: ...


class Manager(KVCacheManager):
    def __init__(self, memory: TensorPoolAllocator, index: BaseEvictionPolicy, store: L2Cache) -> None:
        self.memory, self.index, self.store = memory, index, store

    async def save(self, key: str) -> None:
        block = self.memory.alloc(1)  # expect: reserve reserve
        self.index.put(key, block)  # expect: host-operation commit
        await self.store.put(key, block)  # expect: ingest commit

    async def forget(self, key: str) -> None:
        self.index.delete(key)  # expect: host-operation unpublish
        await self.store.delete(key)  # expect: ingest unpublish


def from_engine(cache: KVCacheManager, key: str, block: object) -> None:
    cache.put(key, block)  # expect: host-operation commit


class RocksDBConnector:
    def __init__(self, store: object) -> None:
        self.store = store

    def write(self, key: str, data: bytes) -> None:
        self.store.put(key, data)  # expect: store-write commit

    def read(self, key: str) -> bytes:
        return self.store.get(key)  # expect: nothing

    def remove(self, key: str) -> None:
        self.store.delete(key)  # expect: store-write unpublish


class SHFSConnector:
    def write(self, path: Path, data: bytes) -> None:
        part = path.with_suffix(".tmp")
        part.write_bytes(data)  # expect: nothing (the temporary name)
        part.replace(path)  # expect: store-write commit
