"""Failures: noted per request or block, carried to the scheduler, and what it falls back to."""

from __future__ import annotations

import enum
import queue
from dataclasses import dataclass, field


class RequestStatus(enum.Enum):
    WAITING_FOR_REMOTE_KVS = 1
    RUNNING = 2


class Request:
    def __init__(self) -> None:
        self.status = RequestStatus.RUNNING
        self.num_computed_tokens = 0


@dataclass
class KVConnectorOutput:
    invalid_block_ids: set[int] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)


class KVTransferConfig:
    kv_load_failure_policy: str = "fail"  # expect: vllm.failure.policy fallback
    kv_role: str = ""  # expect: nothing


class Scheduler:
    def __init__(self) -> None:
        self.failed_recving_kv_req_ids: set[str] = set()
        self.recompute_kv_load_failures = True

    def bad(self, output: KVConnectorOutput, request: Request, invalid_block_ids: set[int]) -> None:
        print(output.invalid_block_ids)  # expect: vllm.failure.reported-loads detect
        print(output.finished)  # expect: nothing
        if request.status == RequestStatus.WAITING_FOR_REMOTE_KVS:  # expect: vllm.failure.scheduler detect
            if self.recompute_kv_load_failures:  # expect: vllm.failure.policy fallback
                self.failed_recving_kv_req_ids.add("r")  # expect: vllm.failure.scheduler fallback
        if invalid_block_ids:
            request.num_computed_tokens = 0  # expect: vllm.failure.scheduler fallback

    def step(self, request: Request, n: int) -> None:
        if request.status == RequestStatus.WAITING_FOR_REMOTE_KVS:  # expect: nothing
            request.num_computed_tokens = n  # expect: nothing


class Worker:
    def report(self, output: KVConnectorOutput, bad: set[int]) -> None:
        output.invalid_block_ids = bad  # expect: vllm.failure.reported-loads detect


class NixlBaseConnectorWorker:
    def __init__(self, wrapper: object) -> None:
        self.nixl_wrapper = wrapper
        self._failed_recv_reqs: queue.Queue[str] = queue.Queue()
        self._ready_requests: queue.Queue[str] = queue.Queue()

    def handshake(self, req_id: str) -> None:
        try:
            self._ready_requests.put(req_id)  # expect: nothing
        except OSError:  # expect: nothing
            self._failed_recv_reqs.put(req_id)  # expect: vllm.failure.nixl detect

    def handshake_without_a_list(self, req_id: str) -> None:
        try:
            self._ready_requests.put(req_id)  # expect: nothing
        except OSError:  # expect: vllm.failure.nixl detect
            self.failed = req_id

    def poll(self, handle: int) -> None:
        state = self.nixl_wrapper.check_xfer_state(handle)
        if state == "ERR":
            raise RuntimeError("transfer failed")  # expect: vllm.failure.nixl detect


class LookupState:
    result: bool | None = None


def miss(state: LookupState) -> None:
    state.result = False  # expect: vllm.failure.tiers fallback


class Planner(Scheduler):
    def plan(self, requests: list[Request], connector: object) -> None:
        for request in requests:
            ext_tokens = connector.get_num_new_matched_tokens(request)
            if ext_tokens is None:  # expect: vllm.failure.defer-lookup retry
                continue
            if request.num_computed_tokens:
                continue  # expect: nothing


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self._failed_recv_reqs: set[str] = set()
        self.started: set[str] = set()

    def bad(self, req_id: str) -> None:
        self.started.add(req_id)  # expect: nothing
        self._failed_recv_reqs.add(req_id)  # expect: vllm.failure.mooncake-pd detect


class KVCacheStoreRecvingThread:
    def __init__(self) -> None:
        self._invalid_block_ids: set[int] = set()

    def bad(self, block_id: int) -> None:
        self._invalid_block_ids.add(block_id)  # expect: vllm.failure.mooncake-store detect

    def handle(self, block_id: int) -> None:
        self.bad(block_id)  # expect: vllm.failure.mooncake-store detect


class KVOutputAggregator:
    def __init__(self) -> None:
        self._salvaged_outputs: list[object] = []

    def keep(self, output: object) -> None:
        self._salvaged_outputs.append(output)  # expect: vllm.failure.executor fallback


class LMCacheConnectorV1Impl:
    def __init__(self) -> None:
        self._invalid_block_ids: set[int] = set()
        self._valid_block_ids: set[int] = set()

    def missing(self, block_id: int) -> None:
        self._valid_block_ids.add(block_id)  # expect: nothing
        self._invalid_block_ids.add(block_id)  # expect: vllm.failure.other-connectors detect
