"""In-process publishing: a chunk is put into the map that lookups read."""

from __future__ import annotations

from abc import ABC, abstractmethod


class LocalCPUBackend:
    def __init__(self) -> None:
        self.hot_cache: dict[str, object] = {}
        self.put_tasks: dict[str, object] = {}

    def add(self, key: str, chunk: object) -> None:
        self.put_tasks[key] = chunk  # expect: nothing (work still to do)
        self.hot_cache[key] = chunk  # expect: hot-cache commit

    def drop(self, key: str) -> None:
        self.hot_cache.pop(key, None)  # expect: hot-cache unpublish

    def has(self, key: str) -> bool:
        return key in self.hot_cache  # expect: nothing


class LocalDiskBackend:
    def __init__(self) -> None:
        self.dict: dict[str, str] = {}

    def written(self, key: str, path: str) -> None:
        self.dict[key] = path  # expect: disk-index commit

    def evict(self, key: str) -> None:
        del self.dict[key]  # expect: disk-index unpublish


class PDBackend:
    def __init__(self) -> None:
        self.data: dict[str, object] = {}

    def accept(self, key: str, buffer: object) -> None:
        self.data[key] = buffer  # expect: pd-index commit

    def consumed(self, key: str) -> None:
        self.data.pop(key)  # expect: pd-index unpublish


class AllocatorBackendInterface(ABC):
    @abstractmethod
    def allocate(self, size: int) -> object: ...


class Tiers:
    def __init__(self, memory: AllocatorBackendInterface) -> None:
        self.memory = memory

    def buffer(self, size: int) -> object:
        return self.memory.allocate(size)  # expect: nothing (the mechanism)


def save(tiers: Tiers, chunk: bytes) -> object:
    return tiers.buffer(len(chunk))  # expect: in-process-reserve reserve
