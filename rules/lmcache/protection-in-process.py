"""In-process protection: counts on the buffer, and the operations that raise and lower them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass
class MemoryObjMetadata:
    ref_count: int = 0
    pin_count: int = 0
    shape: int = 0


class MemoryObj(ABC):
    def __init__(self, meta: MemoryObjMetadata) -> None:
        self.meta: MemoryObjMetadata = meta

    @abstractmethod
    def ref_count_up(self) -> None: ...

    @abstractmethod
    def ref_count_down(self) -> None: ...

    @abstractmethod
    def pin(self) -> None: ...

    @abstractmethod
    def unpin(self) -> None: ...


class HostBuffer(MemoryObj):
    def ref_count_up(self) -> None:
        self.meta.ref_count += 1  # expect: ref-count acquire

    def ref_count_down(self) -> None:
        self.meta.ref_count -= 1  # expect: ref-count release

    def pin(self) -> None:
        self.meta.pin_count += 1  # expect: pin-count acquire
        self.meta.shape += 1  # expect: nothing

    def unpin(self) -> None:
        self.meta.pin_count -= 1  # expect: pin-count release


class Tier:
    def share(self, chunk: MemoryObj) -> None:
        chunk.ref_count_up()  # expect: in-process-hold acquire
        chunk.pin()  # expect: in-process-hold acquire

    def drop(self, chunk: MemoryObj) -> None:
        chunk.unpin()  # expect: in-process-hold release
        chunk.ref_count_down()  # expect: in-process-hold release


class PinMonitor:
    def __init__(self) -> None:
        self._pin_timeout_sec = 300.0

    def sweep(self, chunk: MemoryObj, age: float) -> None:
        if age > self._pin_timeout_sec:  # expect: pin-time-out expire
            chunk.unpin()  # expect: pin-time-out expire, in-process-hold release


class StorageManager:
    def batched_unpin(self, keys: list[str]) -> None: ...


class LMCacheEngine:
    def __init__(self, storage: StorageManager) -> None:
        self.lookup_pins: dict[str, list[str]] = {}
        self.storage = storage

    def found(self, name: str, keys: list[str]) -> None:
        self.lookup_pins[name] = keys  # expect: lookup-pins acquire

    def done(self, name: str) -> None:
        keys = self.lookup_pins.pop(name)  # expect: lookup-pins release
        self.storage.batched_unpin(keys)  # expect: lookup-pins release


class DiskCacheMetadata:
    pin_count: int = 0
    hits: int = 0

    def pin(self) -> None:
        self.hits += 1  # expect: nothing
        self.pin_count += 1  # expect: tier-pin acquire

    def unpin(self) -> None:
        self.pin_count -= 1  # expect: tier-pin release


class Shelf:
    def __init__(self) -> None:
        self.entries: dict[str, DiskCacheMetadata] = {}

    def contains(self, key: str) -> bool:
        self.entries[key].pin()  # expect: tier-pin acquire
        return True

    def loaded(self, key: str) -> None:
        self.entries[key].unpin()  # expect: tier-pin release
