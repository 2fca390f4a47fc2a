"""A page becomes visible in the store: queued, handed to the backend, renamed to its final name or put by a client."""

from __future__ import annotations

import os
from queue import Queue


class HiCacheStorage:
    def batch_set_v1(self, keys: list[str]) -> bool: ...


class HiCacheController:
    def __init__(self, backend: HiCacheStorage) -> None:
        self.backup_queue: Queue[object] = Queue()
        self.storage_backend = backend

    def enqueue(self, operation: object) -> None:
        self.backup_queue.put(operation)  # expect: storage-write reserve

    def stop(self) -> None:
        self.backup_queue.put(None)  # expect: nothing

    def hand_over(self, keys: list[str]) -> bool:
        return self.storage_backend.batch_set_v1(keys)  # expect: storage-write commit


class LRUFileEvictor:
    def __init__(self) -> None:
        self._pending_writes: set[str] = set()

    def book(self, key: str) -> bool:
        self._pending_writes.add(key)  # expect: nothing
        return True

    def unbook(self, key: str) -> None:
        self._pending_writes.discard(key)  # expect: nothing


class FileStore:
    evictor: LRUFileEvictor

    def put(self, key: str) -> None:
        self.evictor.book(key)  # expect: backends reserve
        try:
            os.replace(key + ".tmp", key)  # expect: backends commit
        except OSError:
            self.evictor.unbook(key)  # expect: backends revoke

    def forget(self, key: str) -> None:
        os.remove(key)  # expect: backends unpublish


class Client:
    def batch_put_from(self, keys: list[str]) -> int: ...


class MooncakeStore:
    def __init__(self) -> None:
        self.store = Client()

    def send(self, keys: list[str]) -> int:
        return self.store.batch_put_from(keys)  # expect: mooncake-put commit
