"""Completion on its way to the scheduler: a record per step, counts over ranks, a set that the next pass polls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass
class KVConnectorOutput:
    finished_sending: set[str] | None = None  # expect: vllm.completion.step-record define
    finished_recving: set[str] | None = None  # expect: vllm.completion.step-record define
    stats: object | None = None  # expect: nothing


class KVConnectorBase_V1(ABC):
    @abstractmethod
    def get_finished(self) -> tuple[set[str], set[str]]: ...

    def update_connector_output(self, output: KVConnectorOutput) -> None: ...


class Runner:
    def __init__(self, connector: KVConnectorBase_V1) -> None:
        self.connector: KVConnectorBase_V1 = connector

    def after(self, output: KVConnectorOutput) -> None:
        sent, got = self.connector.get_finished()  # expect: vllm.completion.worker-collects observe
        output.finished_sending = sent  # expect: vllm.completion.step-record signal
        output.finished_recving = got  # expect: vllm.completion.step-record signal
        output.stats = None  # expect: nothing


class KVOutputAggregator:
    def __init__(self) -> None:
        self.left: dict[str, int] = {}

    def count(self, req_id: str, done: set[str]) -> None:
        self.left[req_id] -= 1
        if self.left[req_id] == 0:
            done.add(req_id)  # expect: vllm.completion.rank-count signal


class Scheduler:
    def __init__(self, connector: KVConnectorBase_V1) -> None:
        self.finished_recving_kv_req_ids: set[str] = set()
        self.finished_req_ids: set[str] = set()
        self.connector: KVConnectorBase_V1 = connector

    def reported(self, output: KVConnectorOutput) -> None:
        self.connector.update_connector_output(output)  # expect: vllm.completion.scheduler-tells relay
        for req_id in output.finished_recving or ():  # expect: vllm.completion.step-record observe
            self.finished_recving_kv_req_ids.add(req_id)  # expect: vllm.completion.scheduler-set signal
            self.finished_req_ids.add(req_id)  # expect: nothing

    def ready(self, req_id: str) -> bool:
        if req_id not in self.finished_recving_kv_req_ids:  # expect: vllm.completion.scheduler-set observe
            return False
        self.finished_recving_kv_req_ids.remove(req_id)  # expect: vllm.completion.scheduler-set observe
        return True


@dataclass
class OffloadingWorkerMetadata:  # expect: vllm.completion.worker-metadata define
    completed_jobs: dict[int, int]

    def ended(self, job_id: int) -> None:
        self.completed_jobs[job_id] = 1  # expect: vllm.completion.worker-metadata signal


class Half:
    def __init__(self) -> None:
        self.meta = OffloadingWorkerMetadata({})  # expect: nothing

    def one(self, job_id: int) -> None:
        self.meta.ended(job_id)  # expect: nothing

    def all(self, meta: OffloadingWorkerMetadata) -> None:
        for job_id in meta.completed_jobs.items():  # expect: vllm.completion.worker-metadata observe
            print(job_id)
