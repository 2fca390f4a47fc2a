"""Lookups: from the engine's question to the index and the tiers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


class LMCacheMPSchedulerAdapter:
    def __init__(self) -> None:
        self._pending_lookups: set[str] = set()

    def ask_once(self, request: str) -> None:
        self._pending_lookups.add(request)  # expect: lookup.engine-adapter query

    def forget(self, request: str) -> None:
        self._pending_lookups.discard(request)  # expect: nothing


class Connector:
    def __init__(self, adapter: LMCacheMPSchedulerAdapter) -> None:
        self.adapter = adapter

    def matched(self, request: str) -> None:
        self.adapter.ask_once(request)  # expect: lookup.engine query
        self.adapter.forget(request)  # expect: nothing


class TTLLock:
    def lock(self) -> None: ...

    def unlock(self) -> None: ...


@dataclass
class L1ObjectState:
    read_lock: TTLLock
    write_lock: TTLLock


class L1Manager:
    def __init__(self) -> None:
        self._objects: dict[str, L1ObjectState] = {}

    def match(self, key: str) -> bool:
        entry = self._objects.get(key)  # expect: lookup.l1 query
        if entry is None:
            return False
        entry.read_lock.lock()
        return True

    def count(self) -> int:
        return len(self._objects)  # expect: nothing


@dataclass
class PrefetchTaskSpec:
    keys: list[str]


class LookupModule:
    def __init__(self, l1: L1Manager) -> None:
        self.l1 = l1

    def handle(self, keys: list[str]) -> PrefetchTaskSpec:
        return PrefetchTaskSpec(keys)  # expect: lookup.server query

    def handle_directly(self, key: str) -> bool:
        return self.l1.match(key)  # expect: server-direct query


class L2AdapterInterface(ABC):
    @abstractmethod
    def submit_lookup_and_lock_task(self, keys: list[str]) -> int: ...

    @abstractmethod
    def submit_load_task(self, keys: list[str]) -> int: ...


def ask_below(adapter: L2AdapterInterface, keys: list[str]) -> None:
    adapter.submit_lookup_and_lock_task(keys)  # expect: lookup.l2 query
    adapter.submit_load_task(keys)  # expect: nothing


class StorageBackendInterface(ABC):
    @abstractmethod
    def contains(self, key: str) -> bool: ...


class LocalCPUBackend(StorageBackendInterface):
    def __init__(self) -> None:
        self.hot_cache: dict[str, object] = {}

    def contains(self, key: str) -> bool:
        return key in self.hot_cache  # expect: in-process query

    def size(self) -> int:
        return len(self.hot_cache)  # expect: nothing


def search(tiers: list[StorageBackendInterface], key: str) -> bool:
    for tier in tiers:
        if tier.contains(key):  # expect: in-process query
            return True
    return False


def fold_unfold_grouped(rows: list[int], windows: list[int]) -> int:
    return 0


def usable(rows: list[int]) -> int:
    return fold_unfold_grouped(rows, [])  # expect: lookup.prefix query


class Bitmap:
    def count_leading_ones(self) -> int: ...


def unbroken(found: Bitmap) -> int:
    return found.count_leading_ones()  # expect: lookup.prefix-early query


class RemoteConnector:
    async def exists(self, key: str) -> bool:
        return False

    def report(self) -> int:
        return 0


def below(connector: RemoteConnector, key: str) -> object:
    connector.report()  # expect: nothing
    return connector.exists(key)  # expect: lookup.remote query


class Files:
    async def stands(self, path: str) -> bool:
        return await aiofiles.os.path.exists(path)  # expect: nothing (the mechanism)

    async def found(self, path: str) -> bool:
        return await self.stands(path)  # expect: lookup.file query

    async def write(self, path: str) -> None:
        if not await aiofiles.os.path.exists(path):
            await self.put(path)  # expect: nothing

    async def put(self, path: str) -> None: ...


class RawBlockCore:
    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._lock_refcnt: dict[str, int] = {}

    def exists(self, key: str) -> bool:
        found = key in self._index  # expect: l2-index query
        if found:
            self._lock_refcnt[key] = self._lock_refcnt.get(key, 0) + 1
        return found

    def count(self) -> int:
        return len(self._index)  # expect: nothing


class BatchedP2PLookupMsg:
    def __init__(self, hashes: list[int]) -> None:
        self.hashes = hashes


def ask_controller(hashes: list[int]) -> BatchedP2PLookupMsg:
    return BatchedP2PLookupMsg(hashes)  # expect: lookup.peers query
