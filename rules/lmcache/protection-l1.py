"""L1 protection: read locks with a deadline, and the operations that take and return them."""

from __future__ import annotations

import threading
from dataclasses import dataclass


class TTLLock:  # expect: l1-read-lock define
    def __init__(self) -> None:
        self.counter_ = 0
        self.expiration_ = 0

    def lock(self) -> None:
        self.counter_ += 1  # expect: ttl-lock acquire

    def unlock(self) -> None:
        self.counter_ -= 1  # expect: ttl-lock release

    def is_locked(self, now: int = 0) -> bool:
        return self.counter_ > 0 and now < self.expiration_  # expect: ttl-lock expire


@dataclass
class L1ObjectState:  # expect: l1-read-lock define
    write_lock: TTLLock
    read_lock: TTLLock


class Index:
    def __init__(self) -> None:
        self.entries: dict[str, L1ObjectState] = {}

    def hold(self, key: str) -> None:
        self.entries[key].read_lock.lock()  # expect: l1-read-lock acquire

    def let_go(self, key: str) -> None:
        self.entries[key].read_lock.unlock()  # expect: l1-read-lock release

    def may_go(self, key: str) -> bool:
        entry = self.entries[key]
        return not entry.read_lock.is_locked()  # expect: l1-read-lock observe

    def stage(self, entry: L1ObjectState) -> None:
        entry.write_lock.lock()  # expect: l1-write-lock acquire

    def unstage(self, entry: L1ObjectState) -> None:
        if entry.write_lock.is_locked():  # expect: l1-write-lock observe
            entry.write_lock.unlock()  # expect: l1-write-lock release


class Sender:
    def __init__(self, index: Index) -> None:
        self.index = index

    def begin(self, key: str) -> None:
        self.index.hold(key)  # expect: l1-hold acquire

    def end(self, key: str) -> None:
        self.index.let_go(key)  # expect: l1-hold release

    def ask(self, key: str) -> bool:
        return self.index.may_go(key)  # expect: nothing


class Flusher:
    def flush(self, pending: list[threading.Event]) -> None:
        for copy in pending:
            copy.wait()  # expect: inflight-store acquire

    def idle(self, gate: object) -> None:
        gate.wait()  # expect: nothing (no store in flight)
