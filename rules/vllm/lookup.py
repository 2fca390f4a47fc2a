"""Look-ups: an index probed by hash, a manager that answers per key, a connector that is asked by the scheduler."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod


class BlockHashToBlockMap:
    def __init__(self) -> None:
        self._cache: dict[bytes, int] = {}

    def one(self, key: bytes) -> int | None:
        return self._cache.get(key)  # expect: vllm.lookup.gpu-index query

    def put(self, key: bytes, block: int) -> None:
        if self._cache.get(key) is None:  # expect: nothing
            self._cache[key] = block


class Pool:
    def __init__(self) -> None:
        self.index = BlockHashToBlockMap()

    def cached(self, key: bytes) -> int | None:
        return self.index.one(key)  # expect: vllm.lookup.gpu-index query


class KVConnectorBase_V1(ABC):
    @abstractmethod
    def get_num_new_matched_tokens(self, request: object, n: int) -> tuple[int, bool]: ...


class Ask:
    def __init__(self, connector: KVConnectorBase_V1) -> None:
        self.connector: KVConnectorBase_V1 = connector

    def more(self, request: object) -> int:
        n, _ = self.connector.get_num_new_matched_tokens(request, 0)  # expect: vllm.lookup.external query
        return n


class CachePolicy(ABC):
    @abstractmethod
    def get(self, key: bytes) -> int | None: ...


class OffloadingManager(ABC):
    @abstractmethod
    def lookup(self, key: bytes) -> bool: ...


class Shelf(OffloadingManager):
    def __init__(self, policy: CachePolicy) -> None:
        self._policy: CachePolicy = policy

    def lookup(self, key: bytes) -> bool:
        return self._policy.get(key) is not None  # expect: vllm.lookup.host-chunks query

    def pin(self, key: bytes) -> None:
        self._policy.get(key)  # expect: nothing


class Prefix:
    def __init__(self, manager: OffloadingManager) -> None:
        self.manager: OffloadingManager = manager

    def hits(self, keys: list[bytes]) -> int:
        return sum(self.manager.lookup(k) for k in keys)  # expect: vllm.lookup.host-chunks query


class Request:
    def __init__(self, params: dict[str, object]) -> None:
        self.kv_transfer_params: dict[str, object] | None = params


def consumer(request: Request, n: int) -> tuple[int, bool]:
    params = request.kv_transfer_params
    if params is not None and params.get("do_remote_prefill"):  # expect: vllm.lookup.transfer-params query
        return n, True
    return 0, False


def over(request: Request) -> bool:
    params = request.kv_transfer_params
    return bool(params and params.get("do_remote_prefill"))  # expect: nothing


class SimpleHost:
    def __init__(self, coordinator: KVCacheCoordinator) -> None:
        self.cpu_coordinator: KVCacheCoordinator = coordinator

    def hits(self) -> None:
        self.cpu_coordinator.find_longest_cache_hit([], 1)  # expect: vllm.lookup.host-second-pool query


class SecondaryTierManager:
    def lookup(self, key: bytes) -> bool: ...

    def touch(self, key: bytes) -> None: ...


class Tiers:
    def __init__(self, tiers: list[SecondaryTierManager]) -> None:
        self.tiers: list[SecondaryTierManager] = tiers

    def find(self, key: bytes) -> bool:
        for tier in self.tiers:
            if tier.lookup(key):  # expect: vllm.lookup.remote-tiers query
                tier.touch(key)  # expect: nothing
                return True
        return False


class MooncakeStoreWorker:
    def __init__(self, store: object) -> None:
        self.store = store

    def exist(self, keys: list[str]) -> object:
        self.store.get_hostname()  # expect: nothing
        return self.store.batch_is_exist(keys)  # expect: vllm.lookup.remote-store query


class LMCacheConnectorV1Impl:
    def __init__(self, client: object) -> None:
        self.lookup_client = client

    def matched(self, tokens: list[int]) -> int:
        self.lookup_client.clear()  # expect: nothing
        return self.lookup_client.lookup(tokens)  # expect: vllm.lookup.remote-lmcache query


class Hf3fsMetadataInterface:
    def batch_key_exists(self, keys: list[str]) -> list[bool]: ...

    def rank_count(self) -> int: ...


class Pages:
    def __init__(self, client: Hf3fsMetadataInterface) -> None:
        self.client: Hf3fsMetadataInterface = client

    def known(self, keys: list[str]) -> list[bool]:
        self.client.rank_count()  # expect: nothing
        return self.client.batch_key_exists(keys)  # expect: vllm.lookup.remote-pages query


class KVConnectorBase_V1:
    pass


class ExampleConnector(KVConnectorBase_V1):
    def found(self, folder: str) -> bool:
        return os.path.exists(folder)  # expect: vllm.lookup.remote-tensor-file query


def no_connector(folder: str) -> bool:
    return os.path.exists(folder)  # expect: nothing
