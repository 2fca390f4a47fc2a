"""Loads: from a tier into a host buffer, and from there into the engine's pages."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass
class L1ObjectState:
    buffer: object


class L2AdapterInterface(ABC):
    @abstractmethod
    def submit_load_task(self, keys: list[str]) -> int: ...

    @abstractmethod
    def submit_store_task(self, keys: list[str]) -> int: ...


def make_room(key: str) -> L1ObjectState:
    return L1ObjectState(object())  # expect: nothing (the mechanism)


class Plan:
    def __init__(self, adapter: L2AdapterInterface) -> None:
        self.adapter = adapter

    def load(self, key: str) -> None:
        make_room(key)  # expect: load.stage restore
        self.adapter.submit_load_task([key])  # expect: load.stage restore
        self.adapter.submit_store_task([key])  # expect: nothing


class GPUConnectorInterface(ABC):
    @abstractmethod
    def batched_to_gpu(self, chunks: list[object]) -> None: ...

    @abstractmethod
    def batched_from_gpu(self, chunks: list[object]) -> None: ...


def fill_pages(connector: GPUConnectorInterface, chunks: list[object]) -> None:
    connector.batched_to_gpu(chunks)  # expect: in-process-gpu restore
    connector.batched_from_gpu(chunks)  # expect: nothing


def multi_layer_block_kv_transfer(chunks: object, direction: str) -> None: ...


def transfer_kv_per_object_group(chunks: list[object], direction: str) -> None: ...


def serve(chunks: list[object]) -> None:
    transfer_kv_per_object_group(chunks, direction="H2D")  # expect: l1-to-gpu restore
    multi_layer_block_kv_transfer(chunks, "H2D")  # expect: l1-to-gpu restore
    multi_layer_block_kv_transfer(chunks, "D2H")  # expect: nothing
    transfer_kv_per_object_group(chunks, direction="D2H")  # expect: nothing (a store)


class Bridge:
    def __init__(self, store: object) -> None:
        self.store = store

    async def fetch(self, keys: list[str]) -> None:
        await asyncio.to_thread(self.store.batch_get_into, keys)  # expect: load.remote restore
        await asyncio.to_thread(self.store.close)  # expect: nothing


class StorageBackendInterface(ABC):
    @abstractmethod
    def get_blocking(self, key: str) -> object: ...

    @abstractmethod
    def touch(self, key: str) -> None: ...


def read(tier: StorageBackendInterface, key: str) -> object:
    tier.touch(key)  # expect: nothing
    return tier.get_blocking(key)  # expect: load.tiers restore


class RemoteConnector:
    async def get(self, key: str) -> object: ...

    async def close(self) -> None: ...


async def from_remote(connector: RemoteConnector, key: str) -> object:
    found = await connector.get(key)  # expect: load.remote-get restore
    await connector.close()  # expect: nothing
    return found


class DiskTier(StorageBackendInterface):
    def get_blocking(self, key: str) -> object:
        return self._fill(key, bytearray(8))  # expect: nothing (the chain ends at the tier's own method below)

    def touch(self, key: str) -> None:
        return None

    def _fill(self, key: str, buffer: bytearray) -> object:
        return self._read(key, buffer)  # expect: load.file restore

    def _read(self, key: str, buffer: bytearray) -> object:
        with open(key, "rb") as source:
            source.readinto(buffer)  # expect: nothing (the mechanism)
        return buffer


class NixlStorageAgent:
    def __init__(self, nixl: object) -> None:
        self.nixl_agent = nixl

    def reading(self, here: list[int], there: list[int]) -> object:
        return self.nixl_agent.make_prepped_xfer("READ", here, there)  # expect: one-sided restore

    def writing(self, here: list[int], there: list[int]) -> object:
        return self.nixl_agent.make_prepped_xfer("WRITE", here, there)  # expect: nothing (a store)


@dataclass
class BatchedLookupAndGetMsg:
    keys: list[str]


def ask_peer(keys: list[str]) -> BatchedLookupAndGetMsg:
    return BatchedLookupAndGetMsg(keys)  # expect: one-sided restore
