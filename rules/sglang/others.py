"""Neighbours: lookups, loads, reclaiming and failures."""

from __future__ import annotations

import os
import time


class FINISH_ABORT:
    message = ""


class KVPoll:
    Failed = 0
    Success = 4


class Req:
    def __init__(self) -> None:
        self.to_finish: FINISH_ABORT | None = None

    def give_up(self) -> None:
        self.to_finish = FINISH_ABORT()  # expect: failure.abort detect


class ComponentData:
    value: list[int] | None = None
    host_value: list[int] | None = None


class UnifiedTreeNode:
    def __init__(self) -> None:
        self.children: dict[str, UnifiedTreeNode] = {}


class BasePrefixCache:
    def match_prefix(self, key: str) -> int: ...

    def evict_for_alloc(self, n: int) -> None: ...

    def init_load_back(self, node: int) -> None: ...

    def free_kv_row(self, row: int) -> None: ...


class SWATokenToKVPoolAllocator:
    def free_swa(self, slots: list[int]) -> None: ...


class MambaPool:
    def free(self, slots: list[int]) -> None: ...


class TreeComponent:
    window: SWATokenToKVPoolAllocator
    states: MambaPool

    def evict_component(self, cd: ComponentData, slots: list[int]) -> None:
        cd.host_value = None  # expect: reclaim.host evict
        self.window.free_swa(slots)  # expect: reclaim.evict free
        self.states.free(slots)  # expect: reclaim.evict free

    def drive_eviction(self, n: int) -> None: ...


def make_room_by_parts(parts: list[TreeComponent]) -> None:
    for part in parts:
        part.drive_eviction(4)  # expect: reclaim.evict evict


class UnifiedTreeCore:
    def walk(self, node: UnifiedTreeNode, key: str) -> UnifiedTreeNode:
        while key in node.children:  # expect: lookup.tree-walk query
            node = node.children[key]
        return node

    def leaf(self, node: UnifiedTreeNode) -> bool:
        return len(node.children) == 0  # expect: nothing


def first_look(cache: BasePrefixCache, key: str) -> int:
    return cache.match_prefix(key)  # expect: lookup.prefix query


def plan(cache: BasePrefixCache, node: int) -> None:
    cache.init_load_back(node)  # expect: load.scheduler restore


def make_room(cache: BasePrefixCache) -> None:
    cache.evict_for_alloc(4)  # expect: reclaim.evict evict


def row_back(cache: BasePrefixCache) -> None:
    cache.free_kv_row(3)  # expect: reclaim.pool free


class PrefetchOperation:
    start_time = 0.0


def too_long(operation: PrefetchOperation, allowed: float) -> bool:
    return time.monotonic() - operation.start_time > allowed  # expect: failure.prefetch-timeout detect


def age(operation: PrefetchOperation) -> float:
    return operation.start_time  # expect: nothing


class FullComponent:
    def attach(self, cd: ComponentData, device_indices: list[int]) -> None:
        cd.value = device_indices[:4]  # expect: load.to-node restore

    def detach(self, cd: ComponentData) -> None:
        cd.value = None  # expect: nothing


class HostPool:
    def free(self, slots: list[int]) -> None: ...


class HiCacheStorage:
    def batch_exists(self, keys: list[str]) -> int: ...

    def batch_get_v1(self, keys: list[str]) -> list[bool]: ...


class HiCacheController:
    def __init__(self, backend: HiCacheStorage) -> None:
        self.storage_backend = backend
        self.load_queue: list[int] = []
        self.mem_pool_host = HostPool()

    def give_back(self, slots: list[int]) -> None:
        self.mem_pool_host.free(slots)  # expect: reclaim.host-slots free

    def ask(self, keys: list[str]) -> int:
        return self.storage_backend.batch_exists(keys)  # expect: lookup.storage query

    def read(self, keys: list[str]) -> list[bool]:
        return self.storage_backend.batch_get_v1(keys)  # expect: load.storage restore


class HybridCacheController(HiCacheController):
    def take(self, operation: int) -> None:
        self.load_queue.append(operation)  # expect: load.host restore


class BaseKVManager: ...


class MooncakeKVManager(BaseKVManager):
    def __init__(self) -> None:
        self.failed_sessions: set[str] = set()
        self.failure_records: dict[int, str] = {}

    def note(self, room: int, reason: str) -> None:
        self.failure_records[room] = reason  # expect: failure.transfer detect

    def push_broke(self, session: str, room: int) -> None:
        self.failed_sessions.add(session)  # expect: failure.transfer detect
        self.end(room, KVPoll.Failed)  # expect: failure.transfer detect

    def alive_again(self, session: str) -> None:
        self.failed_sessions.discard(session)  # expect: failure.transfer retry

    def end(self, room: int, status: int) -> None: ...


def drop_oldest(path: str) -> None:
    os.remove(path)  # expect: reclaim.files evict
