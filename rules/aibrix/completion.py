"""Asynchronous writes that are counted, a queue of work on regions, and a set of requests that are done."""

from __future__ import annotations

import asyncio
import threading


class BaseKVCacheManager:
    def __init__(self) -> None:
        self._l2_inflight_writes = 0
        self._infight_cv = threading.Condition()

    def ask(self, loop: asyncio.AbstractEventLoop, store: L2Cache) -> None:
        future = asyncio.run_coroutine_threadsafe(store.work(), loop)
        future.add_done_callback(print)  # expect: future observe
        future.result()  # expect: future observe

    def start(self) -> None:
        self._l2_inflight_writes += 1  # expect: nothing (it begins)

    def ended(self) -> None:
        with self._infight_cv:
            self._l2_inflight_writes -= 1  # expect: ingest signal
            self._infight_cv.notify_all()  # expect: ingest signal

    def flush(self) -> None:
        with self._infight_cv:
            while self._l2_inflight_writes > 0:  # expect: ingest observe
                self._infight_cv.wait()  # expect: ingest observe


class L2Cache:
    def __init__(self) -> None:
        self._mr_ops_queue: asyncio.Queue = asyncio.Queue()

    async def work(self) -> None:
        await self._mr_ops_queue.get()  # expect: region-queue relay
        self._mr_ops_queue.task_done()  # expect: region-queue signal

    async def flush(self) -> None:
        await self._mr_ops_queue.join()  # expect: region-queue observe


class AIBrixPDReuseConnectorWorker:
    def __init__(self) -> None:
        self._received_requests: set[str] = set()  # expect: nothing (construction)

    def start(self) -> None:
        self._received_requests = set()  # expect: nothing (nobody has taken them)

    def read(self, request: str) -> None:
        self._received_requests.add(request)  # expect: received signal

    def take(self) -> set[str]:
        found = self._received_requests
        self._received_requests = set()  # expect: received observe
        return found
