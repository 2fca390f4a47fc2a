"""Mechanisms of older versions: leaves from a heap, storage batches that fall short, a queue of finished forwards."""

from __future__ import annotations

import heapq
import logging
from queue import Queue

import zmq

logger = logging.getLogger(__name__)


class BasePrefixCache:
    def evict(self, tokens: int) -> None: ...


class BaseTokenToKVPoolAllocator:
    def free(self, slots: list[int]) -> None: ...


class ReqToTokenPool:
    def free(self, row: int) -> None: ...


class RadixCache(BasePrefixCache):
    pool: BaseTokenToKVPoolAllocator
    rows: ReqToTokenPool

    def evict(self, tokens: int) -> None:
        leaves: list[tuple[int, list[int]]] = []
        _, slots = heapq.heappop(leaves)  # expect: reclaim.evict-old evict
        self.pool.free(slots)  # expect: reclaim.evict-old free

    def finish(self, row: int, slots: list[int], is_insert: bool) -> None:
        if not is_insert:
            self.pool.free(slots)  # expect: reclaim.evict-old free, publish.gpu-suppressed-old revoke
        self.rows.free(row)  # expect: reclaim.evict-old free


def next_timer(timers: list[int]) -> int:
    return heapq.heappop(timers)  # expect: nothing


class PrefetchOperation:
    def __init__(self) -> None:
        self._terminated_flag = False
        self.completed_tokens = 0

    def stop(self) -> None:
        self._terminated_flag = True


class HiCacheController:
    def read(self, operation: PrefetchOperation, before: int, size: int) -> None:
        if operation.completed_tokens != before + size:
            operation.stop()  # expect: failure.storage-old detect

    def write(self, keys: list[str]) -> None:
        success = self.put(keys)
        if not success:
            logger.warning("pages were not written")  # expect: failure.storage-old detect
        logger.warning("done")  # expect: nothing

    def put(self, keys: list[str]) -> bool: ...


class TpModelWorkerClient:
    def __init__(self) -> None:
        self.output_queue: Queue[int] = Queue()

    def forward(self, result: int) -> None:
        self.output_queue.put(result)  # expect: completion.forward-queue signal

    def resolve(self) -> int:
        return self.output_queue.get()  # expect: completion.forward-queue observe


class BaseKVManager: ...


class PushManager(BaseKVManager):
    link: zmq.Socket

    def tell(self, room: int, status: int) -> None:
        self.link.send_multipart([room, status])  # expect: completion.status-message-old signal

    def greet(self, room: int) -> None:
        self.link.send_multipart([room])  # expect: nothing
