"""Host copies in use: a second counter, marks of copies under way, and reserved files."""

from __future__ import annotations


class ComponentData:
    lock_ref: int = 0
    host_lock_ref: int = 0


class UnifiedTreeNode:
    def __init__(self) -> None:
        self.write_through_pending_id: int | None = None
        self.key = ""

    def mark(self, ack: int) -> None:
        self.write_through_pending_id = ack  # expect: host-pending acquire

    def unmark(self) -> None:
        self.write_through_pending_id = None  # expect: host-pending release


class FullComponent:
    def hold(self, cd: ComponentData) -> None:
        cd.host_lock_ref += 1  # expect: host-lock acquire

    def let_go(self, cd: ComponentData) -> None:
        cd.host_lock_ref -= 1  # expect: host-lock release
        cd.lock_ref -= 1  # expect: nothing


class UnifiedRadixCache:
    def inc_host_lock_ref(self, node: int) -> int: ...

    def dec_host_lock_ref(self, node: int) -> None: ...

    def fetch(self, node: int) -> int:
        return self.inc_host_lock_ref(node)  # expect: host-callers acquire

    def landed(self, node: int) -> None:
        self.dec_host_lock_ref(node)  # expect: host-callers release


class LRUFileEvictor:
    def __init__(self) -> None:
        self._pending_writes: set[str] = set()

    def book(self, stem: str) -> None:
        self._pending_writes.add(stem)  # expect: pending-files acquire

    def oldest(self, stem: str) -> bool:
        if stem in self._pending_writes:  # expect: pending-files observe
            return False
        return True

    def done(self, stem: str) -> None:
        self._pending_writes.discard(stem)  # expect: pending-files release
