"""Failures: deadlines, silent workers, an unhealthy server, and what each falls back to."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass


@dataclass
class _LoadTask:
    deadline: float
    name: str = ""


def late(task: _LoadTask) -> bool:
    if time.monotonic() > task.deadline:  # expect: time-out detect
        return True
    return task.name == ""  # expect: nothing


def fetch(job: object) -> bool:
    try:
        job.run()
    except TimeoutError:  # expect: time-out detect
        return False
    except ValueError:  # expect: nothing
        return False
    return True


class LMCacheDrivenTransferModule:
    def __init__(self) -> None:
        self._cache_contexts: dict[int, object] = {}

    def sweep(self, stale: list[int]) -> None:
        for worker in stale:
            self._cache_contexts.pop(worker)  # expect: owner-death detect

    def add(self, worker: int) -> None:
        self._cache_contexts[worker] = object()  # expect: nothing


class HeartbeatThread:
    def __init__(self) -> None:
        self._health_event = threading.Event()

    def beat(self, healthy: bool) -> None:
        if healthy:
            self._health_event.set()  # expect: health retry
        else:
            self._health_event.clear()  # expect: health detect


class LMCacheMPWorkerAdapter:
    def __init__(self) -> None:
        self.store_futures: dict[str, object] = {}
        self.error_block_ids: set[int] = set()

    def give_up(self, blocks: set[int]) -> None:
        self.error_block_ids.update(blocks)  # expect: health fallback
        self.store_futures.clear()  # expect: health fallback

    def begin(self, name: str) -> None:
        self.store_futures[name] = object()  # expect: nothing


class LMCacheMPRequestTracker:
    def __init__(self) -> None:
        self.state = "READY"

    def failed(self) -> None:
        self.state = "BYPASS"  # expect: failure.bypass fallback

    def again(self) -> None:
        self.state = "READY"  # expect: nothing


class LMCacheConnectorV1Impl:
    def __init__(self) -> None:
        self._invalid_block_ids: set[int] = set()

    def short(self, missing: set[int]) -> None:
        self._invalid_block_ids.update(missing)  # expect: invalid-blocks detect

    def report(self) -> set[int]:
        out = self._invalid_block_ids.copy()  # expect: nothing
        self._invalid_block_ids.clear()  # expect: invalid-blocks fallback
        return out


class LMCacheAsyncLookupClient:
    def __init__(self, timeout: float) -> None:
        self.first_lookup_time: dict[str, float] = {}
        self.timeout = timeout

    def ask(self, name: str) -> int | None:
        if time.time() - self.first_lookup_time[name] > self.timeout:  # expect: lookup-time-out detect
            self.first_lookup_time.pop(name, None)  # expect: lookup-time-out fallback
            return 0
        return None

    def started(self, name: str) -> None:
        self.first_lookup_time[name] = time.time()  # expect: nothing


class L1Manager:
    def delete(self, keys: list[str]) -> None: ...

    def finish_write(self, keys: list[str]) -> None: ...


def after_load(l1: L1Manager, failed: list[str]) -> None:
    l1.finish_write(failed)  # expect: nothing
    l1.delete(failed)  # expect: load-discard fallback


class LMCacheEngine:
    def is_healthy(self) -> bool:
        return True

    def store(self) -> None:
        if not self.is_healthy():  # expect: unhealthy-engine fallback
            return


class NixlStorageAgent:
    def __init__(self, agent: object) -> None:
        self.nixl_agent = agent

    def wait(self, handle: int) -> None:
        state = self.nixl_agent.check_xfer_state(handle)
        if state == "ERR":
            raise RuntimeError("transfer failed")  # expect: failure.one-sided detect
        if state is None:
            raise KeyError(handle)  # expect: nothing


class MemoryObj:
    def ref_count_down(self) -> None: ...


def taken(objects: list[MemoryObj], lengths: list[int]) -> None:
    for memory, length in zip(objects, lengths):
        if length <= 0:
            memory.ref_count_down()  # expect: remote-result detect
            continue
        memory.ref_count_down()  # expect: nothing
