"""Completion of transfers: notifications, handles, sets filled by a thread and drained once per step."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from concurrent.futures import Future


class NixlBaseConnectorWorker:
    def __init__(self, wrapper: object) -> None:
        self.nixl_wrapper = wrapper
        self.consumer_notification_counts_by_req: dict[str, int] = {}

    def read(self, notif_id: bytes) -> None:
        agent = self.nixl_wrapper
        handle = agent.make_prepped_xfer("READ", 1, notif_msg=notif_id)  # expect: vllm.completion.nixl signal
        self.nixl_wrapper.transfer(handle)  # expect: nothing

    def poll(self, handle: int, req_id: str) -> None:
        self.nixl_wrapper.get_new_notifs()  # expect: vllm.completion.nixl observe
        self.nixl_wrapper.check_xfer_state(handle)  # expect: vllm.completion.nixl observe
        self.consumer_notification_counts_by_req[req_id] += 1  # expect: vllm.completion.nixl observe

    def beat(self, hb_msg: bytes) -> None:
        self.nixl_wrapper.send_notif("agent", notif_msg=hb_msg)  # expect: nothing


class KVTransferThread(threading.Thread):
    def __init__(self) -> None:
        self.finished_requests: set[str] = set()

    def ended(self, req_id: str) -> None:
        self.finished_requests.add(req_id)  # expect: vllm.completion.store-threads signal

    def drained(self) -> set[str]:
        finished = self.finished_requests.copy()  # expect: nothing
        self.finished_requests.clear()  # expect: vllm.completion.store-threads observe
        return finished


class Receiving(KVTransferThread):
    def handle(self, req_id: str) -> None:
        self.ended(req_id)  # expect: vllm.completion.store-threads signal


class DualQueueThreadPool:
    def __init__(self) -> None:
        self._finished_q: deque[tuple[int, bool]] = deque()
        self._load_q: deque[int] = deque()

    def work(self, job_id: int) -> None:
        self._load_q.append(job_id)  # expect: nothing
        self._finished_q.append((job_id, True))  # expect: vllm.completion.tier-jobs signal

    def results(self) -> list[tuple[int, bool]]:
        return [self._finished_q.popleft()]  # expect: vllm.completion.tier-jobs observe


class JobResult:  # expect: vllm.completion.tier-jobs define
    job_id: int


class SecondaryTierManager(ABC):
    @abstractmethod
    def get_finished(self) -> list[JobResult]: ...


class Plan:
    def __init__(self, tiers: list[SecondaryTierManager]) -> None:
        self.tiers = tiers

    def drain(self) -> list[JobResult]:
        found = []
        for tier in self.tiers:
            found.extend(tier.get_finished())  # expect: vllm.completion.tier-jobs relay
        return found


def finish(future: Future[bool]) -> None:
    future.set_result(True)  # expect: vllm.completion.task-futures signal


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.finished_sending_reqs: set[str] = set()

    def ended(self, req_id: str) -> None:
        self.finished_sending_reqs.add(req_id)  # expect: vllm.completion.mooncake-pd signal

    def take(self) -> set[str]:
        taken = self.finished_sending_reqs  # expect: nothing
        self.finished_sending_reqs = set()  # expect: vllm.completion.mooncake-pd observe
        return taken


class LMCacheMPWorkerAdapter:
    def __init__(self) -> None:
        self.finished_stores: set[str] = set()
        self.store_futures: dict[str, object] = {}

    def look(self, req_id: str) -> None:
        self.store_futures.pop(req_id)  # expect: vllm.completion.lmcache observe
        self.finished_stores.add(req_id)  # expect: vllm.completion.lmcache signal
        print(len(self.finished_stores))  # expect: nothing


class KVConnectorBase_V1:
    def get_finished(self, ids: set[str]) -> tuple[set[str], set[str]]: ...


class MultiConnector(KVConnectorBase_V1):
    def __init__(self, connectors: list[KVConnectorBase_V1]) -> None:
        self._connectors: list[KVConnectorBase_V1] = connectors

    def merged(self, ids: set[str]) -> None:
        for connector in self._connectors:
            print(connector.get_finished(ids))  # expect: vllm.completion.multi relay


class MoRIIOWrapper:
    def __init__(self) -> None:
        self.done_req_ids: list[str] = []

    def heard(self, req_id: str) -> None:
        self.done_req_ids.append(req_id)  # expect: vllm.completion.moriio signal

    def taken(self) -> None:
        self.done_req_ids = []  # expect: vllm.completion.moriio observe


class P2pNcclEngine:
    def __init__(self) -> None:
        self.recv_store_cv = threading.Condition()

    def arrived(self) -> None:
        self.recv_store_cv.notify()  # expect: vllm.completion.tensor-store signal

    def awaited(self) -> None:
        self.recv_store_cv.wait()  # expect: vllm.completion.tensor-store observe


class KVCacheStoreSendingThread(KVTransferThread):
    def __init__(self) -> None:
        super().__init__()
        self.stored_requests: dict[str, int] = {}

    def one_more(self, req_id: str) -> None:
        self.stored_requests[req_id] += 1  # expect: nothing

    def one_less(self, req_id: str) -> None:
        self.stored_requests[req_id] -= 1  # expect: vllm.completion.store-threads signal


class MooncakeStoreWorker:
    def __init__(self, thread: KVCacheStoreSendingThread) -> None:
        self.thread = thread

    def all_stored(self, req_id: str) -> bool:
        if self.thread.stored_requests[req_id] == 0:  # expect: vllm.completion.store-threads observe
            return True
        return False


class ServerRole:
    def __init__(self) -> None:
        self._inflight: dict[int, int] = {}
        self._pending_store_results: list[int] = []

    def written(self, job_id: int) -> None:
        self._pending_store_results.append(job_id)  # expect: vllm.completion.peer-tier signal

    def results(self) -> list[int]:
        found = list(self._pending_store_results)
        self._pending_store_results.clear()  # expect: vllm.completion.peer-tier observe
        return found

    def close(self) -> None:
        self._inflight.clear()
        self._pending_store_results.clear()  # expect: nothing (what is thrown away is not observed)
