"""Reclaim: the policy names victims, the index drops them, buffers go back."""

from __future__ import annotations

from abc import ABC, abstractmethod


class EvictionPolicy(ABC):
    @abstractmethod
    def get_eviction_actions(self, ratio: float) -> list[str]: ...

    @abstractmethod
    def touched(self, key: str) -> None: ...


class L2AdapterInterface(ABC):
    @abstractmethod
    def delete(self, keys: list[str]) -> None: ...


class L1Manager:
    def __init__(self) -> None:
        self._objects: dict[str, object] = {}

    def discard(self, key: str) -> None:
        del self._objects[key]  # expect: reclaim.l1 free

    def read_done(self, key: str, entry: bool) -> None:
        is_temporary = entry
        if is_temporary:
            del self._objects[key]  # expect: nothing (its last reader left)


class Loop:
    def __init__(self, l1: L1Manager, policy: EvictionPolicy, l2: L2AdapterInterface) -> None:
        self.l1 = l1
        self.policy = policy
        self.l2 = l2

    def turn(self) -> None:
        self.policy.touched("k")  # expect: nothing
        for key in self.policy.get_eviction_actions(0.2):  # expect: l1-victims evict
            self.l1.discard(key)  # expect: reclaim.l1 free
        self.l2.delete(["k"])  # expect: reclaim.l2 evict


class SessionManager:
    def __init__(self) -> None:
        self._sessions: dict[str, object] = {}

    def idle(self, name: str) -> None:
        del self._sessions[name]  # expect: reclaim.session free

    def begin(self, name: str) -> None:
        self._sessions[name] = object()  # expect: nothing


class MemoryObj(ABC):
    is_pinned = False

    def get_ref_count(self) -> int:
        return 1

    def removable(self) -> bool:
        return not self.is_pinned and self.get_ref_count() == 1  # expect: reclaim.in-process detect


class BaseCachePolicy(ABC):
    @abstractmethod
    def get_evict_candidates(self, cache: dict[str, object]) -> list[str]: ...


def make_room(policy: BaseCachePolicy, cache: dict[str, object]) -> list[str]:
    return policy.get_evict_candidates(cache)  # expect: reclaim.in-process evict
