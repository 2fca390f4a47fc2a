"""L1 publishing: a staged entry moves into the index; calls that have it moved are reported as operations."""

from __future__ import annotations

from dataclasses import dataclass


class TTLLock:
    def lock(self) -> None: ...

    def unlock(self) -> None: ...

    def is_locked(self) -> bool:
        return False


@dataclass
class L1ObjectState:
    memory_obj: object
    write_lock: TTLLock
    read_lock: TTLLock


class L1MemoryManager:
    def free(self, objs: list[object]) -> None: ...


class L1Manager:
    def __init__(self) -> None:
        self._objects: dict[str, L1ObjectState] = {}
        self._staging: dict[str, dict[str, L1ObjectState]] = {}
        self._memory_manager = L1MemoryManager()

    def _stage(self, key: str, entry: L1ObjectState) -> None:
        self._staging.setdefault(key, {})["w"] = entry

    def begin(self, key: str) -> None:
        entry = L1ObjectState(object(), TTLLock(), TTLLock())
        entry.write_lock.lock()  # expect: l1-lock-flip reserve
        self._stage(key, entry)  # expect: l1-staging reserve

    def _pop(self, key: str) -> L1ObjectState:
        per_tag = self._staging[key]
        return per_tag.pop("w")

    def _take(self, key: str) -> L1ObjectState:
        if not self._staging[key]["w"].write_lock.is_locked():
            raise KeyError(key)
        return self._pop(key)  # expect: nothing (the caller decides)

    def admit(self, key: str) -> None:
        entry = self._take(key)  # expect: nothing (it goes on into the index)
        self._objects[key] = entry  # expect: l1-index commit, l1-lock-flip reserve

    def drop(self, key: str) -> None:
        entry = self._take(key)  # expect: l1-staging revoke
        self._memory_manager.free([entry.memory_obj])  # expect: l1-commit-operation revoke

    def forget(self, key: str) -> None:
        entry = self._objects[key]  # expect: nothing (a read)
        del self._objects[key]  # expect: l1-index unpublish, l1-lock-flip unpublish
        self._memory_manager.free([entry.memory_obj])  # expect: nothing (was resident)


class OldManager:
    def __init__(self) -> None:
        self.entries: dict[str, L1ObjectState] = {}

    def open_up(self, key: str) -> None:
        entry = self.entries[key]
        entry.write_lock.unlock()  # expect: l1-lock-flip commit
        entry.read_lock.unlock()  # expect: nothing (another lock)


class LookupModule:
    def __init__(self, l1: L1Manager, old: OldManager) -> None:
        self.l1 = l1
        self.old = old

    def start(self, key: str) -> None:
        self.l1.begin(key)  # expect: l1-reserve-operation reserve

    def finish(self, key: str) -> None:
        self.l1.admit(key)  # expect: l1-commit-operation commit

    def give_up(self, key: str) -> None:
        self.l1.drop(key)  # expect: l1-commit-operation revoke

    def finish_old(self, key: str) -> None:
        self.old.open_up(key)  # expect: l1-flip-operation commit


def submit_callback_to_stream(stream: object, kind: str, payload: object) -> None: ...


def after_copy(stream: object, keys: list[str]) -> None:
    submit_callback_to_stream(stream, "write_done", keys)  # expect: l1-stream-commit commit, l1-flip-operation commit
    submit_callback_to_stream(stream, "close_event", keys)  # expect: nothing
