"""Locks on nodes: the counter, and the receipts that requests and copies hold."""

from __future__ import annotations


class ComponentData:
    lock_ref: int = 0
    session_ref: int = 0


class UnifiedTreeNode:
    component_data: list[ComponentData]


class FullComponent:
    def hold(self, cd: ComponentData) -> None:
        cd.lock_ref += 1  # expect: node-lock acquire
        cd.session_ref += 1  # expect: nothing

    def let_go(self, cd: ComponentData) -> None:
        cd.lock_ref -= 1  # expect: node-lock release


class WindowComponent:
    def hold(self, cd: ComponentData, host: bool) -> None:
        held = cd.session_ref if host else cd.lock_ref
        if host:
            cd.session_ref = held + 1  # expect: nothing
        else:
            cd.lock_ref = held + 1  # expect: node-lock acquire


class UnifiedTreeCore:
    parts: list[FullComponent]

    def inc_lock_ref(self, cd: ComponentData) -> None:
        for part in self.parts:
            part.hold(cd)  # expect: node-lock acquire

    def may_go(self, cd: ComponentData) -> bool:
        if cd.lock_ref > 0:  # expect: node-lock observe
            return False
        return True


class BasePrefixCache:
    def inc_lock_ref(self, node: int) -> int: ...

    def dec_lock_ref(self, node: int) -> None: ...

    def lock(self, node: int) -> int:
        return self.inc_lock_ref(node)  # expect: nothing

    def unlock(self, lock: int) -> None:
        self.dec_lock_ref(lock)  # expect: nothing


def admit(cache: BasePrefixCache, node: int) -> int:
    return cache.lock(node)  # expect: protection.callers acquire


def end(cache: BasePrefixCache, lock: int) -> None:
    cache.unlock(lock)  # expect: protection.callers release
