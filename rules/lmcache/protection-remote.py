"""Remote protection: adapters lock what a lookup found, some of them only by counting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from dataclasses import dataclass


class L2AdapterInterface(ABC):
    @abstractmethod
    def submit_lookup_and_lock_task(self, keys: list[str]) -> int: ...

    @abstractmethod
    def submit_unlock(self, keys: list[str]) -> None: ...


class NativeConnectorL2Adapter(L2AdapterInterface):
    def __init__(self) -> None:
        self._locked_keys: dict[str, int] = defaultdict(int)
        self._known: dict[str, int] = {}

    def submit_lookup_and_lock_task(self, keys: list[str]) -> int:
        return 0

    def found(self, key: str) -> None:
        self._known[key] = 1  # expect: nothing
        self._locked_keys[key] += 1  # expect: l2-lock acquire

    def submit_unlock(self, keys: list[str]) -> None:
        for key in keys:
            if self._locked_keys[key] <= 1:
                del self._locked_keys[key]  # expect: l2-lock release
            else:
                self._locked_keys[key] -= 1  # expect: l2-lock release


class Plan:
    def __init__(self, adapter: L2AdapterInterface) -> None:
        self.adapter = adapter

    def ask(self, keys: list[str]) -> int:
        return self.adapter.submit_lookup_and_lock_task(keys)  # expect: l2-hold acquire

    def skip(self, keys: list[str]) -> None:
        self.adapter.submit_unlock(keys)  # expect: l2-hold release


@dataclass
class PrefetchTaskSpec:
    keys: list[str]


class TTLLock:
    def unlock(self) -> None: ...


@dataclass
class L1ObjectState:
    read_lock: TTLLock


def give_back(entry: L1ObjectState) -> None:
    entry.read_lock.unlock()  # expect: nothing (the mechanism)


class P2PController:
    def ask(self, keys: list[str]) -> PrefetchTaskSpec:
        return PrefetchTaskSpec(keys)  # expect: peer-hold acquire

    def done(self, entry: L1ObjectState) -> None:
        give_back(entry)  # expect: peer-hold release


def warm(keys: list[str]) -> PrefetchTaskSpec:
    return PrefetchTaskSpec(keys)  # expect: nothing (no peer waits for it)


class NixlStoreObj:
    def __init__(self) -> None:
        self.pin_count = 0

    def more(self) -> None:
        self.pin_count += 1  # expect: l2-pin acquire

    def less(self) -> None:
        self.pin_count -= 1  # expect: l2-pin release


class RawBlockCore:
    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._lock_refcnt: dict[str, int] = {}

    def found(self, key: str) -> None:
        self._lock_refcnt[key] = self._lock_refcnt.get(key, 0) + 1  # expect: l2-pin acquire

    def given_back(self, key: str) -> None:
        count = self._lock_refcnt.get(key, 0)
        if count <= 1:
            self._lock_refcnt.pop(key, None)  # expect: l2-pin release
        else:
            self._lock_refcnt[key] = count - 1  # expect: l2-pin release

    def delete(self, key: str) -> None:
        self._index.pop(key, None)  # expect: nothing
        self._lock_refcnt.pop(key, None)  # expect: nothing


class Stub:
    def p2p_lookup_and_lock(self, keys: list[str]) -> int: ...

    def p2p_unlock_objects(self, keys: list[str]) -> None: ...

    def ping(self) -> None: ...


class P2PL2Adapter(L2AdapterInterface):
    def __init__(self, stub: Stub) -> None:
        self._req_client: Stub = stub

    def submit_lookup_and_lock_task(self, keys: list[str]) -> int:
        self._req_client.ping()  # expect: nothing
        return self._req_client.p2p_lookup_and_lock(keys)  # expect: peer-request acquire

    def submit_unlock(self, keys: list[str]) -> None:
        self._req_client.p2p_unlock_objects(keys)  # expect: peer-request release
