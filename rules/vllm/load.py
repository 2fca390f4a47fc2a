"""Loads: planned by the scheduler half, issued by the worker half."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod


class OffloadingManager(ABC):
    @abstractmethod
    def prepare_load(self, keys: list[bytes]) -> object: ...

    @abstractmethod
    def prepare_store(self, keys: list[bytes]) -> object: ...


class OffloadingConnectorScheduler:
    def __init__(self, manager: OffloadingManager) -> None:
        self.manager: OffloadingManager = manager
        self._current_batch_load_jobs: dict[int, object] = {}

    def plan(self, keys: list[bytes]) -> None:
        self.manager.prepare_store(keys)  # expect: nothing
        src = self.manager.prepare_load(keys)  # expect: vllm.load.plan-host acquire
        self._current_batch_load_jobs[1] = src  # expect: vllm.load.plan-host acquire


class OffloadingWorker(ABC):
    @abstractmethod
    def submit_load(self, job: int) -> bool: ...

    @abstractmethod
    def submit_store(self, job: int) -> bool: ...


class Half:
    def __init__(self, worker: OffloadingWorker, wrapper: object) -> None:
        self.worker: OffloadingWorker = worker

    def go(self) -> None:
        self.worker.submit_store(1)  # expect: nothing
        self.worker.submit_load(2)  # expect: vllm.load.copy restore


class NixlBaseConnectorWorker:
    def __init__(self, wrapper: object) -> None:
        self.nixl_wrapper = wrapper

    def pull(self) -> None:
        handle = self.nixl_wrapper.make_prepped_xfer("READ", 1)  # expect: nothing
        self.nixl_wrapper.transfer(handle)  # expect: vllm.load.transfer-read restore

    def push(self) -> None:
        handle = self.nixl_wrapper.make_prepped_xfer("WRITE", 1)
        self.nixl_wrapper.transfer(handle)  # expect: vllm.load.transfer-read restore

    def again(self, handle: int) -> None:
        self.nixl_wrapper.transfer(handle)  # expect: nothing


def read_block(fd: int, view: memoryview) -> int:
    return os.readv(fd, [view])  # expect: vllm.load.tier restore


class NixlBaseConnectorScheduler:
    def __init__(self) -> None:
        self._reqs_need_recv: dict[str, object] = {}

    def given(self, req_id: str, blocks: object) -> None:
        self._reqs_need_recv[req_id] = blocks  # expect: vllm.load.plan-transfer acquire


class MooncakeStoreScheduler:
    def __init__(self) -> None:
        self.load_specs: dict[str, int] = {}

    def hit(self, req_id: str, tokens: int) -> None:
        self.load_specs[req_id] = tokens  # expect: vllm.load.plan-remote acquire

    def gone(self, req_id: str) -> None:
        self.load_specs.pop(req_id, None)  # expect: nothing


class KVConnectorBase_V1:
    def start_load_kv(self, context: object) -> None: ...

    def wait_for_save(self) -> None: ...


class Runner:
    def __init__(self, connector: KVConnectorBase_V1) -> None:
        self.connector: KVConnectorBase_V1 = connector

    def step(self) -> None:
        self.connector.start_load_kv(None)  # expect: vllm.load.connector-hooks restore
        self.connector.wait_for_save()  # expect: nothing


class KVTransferThread:
    def __init__(self, store: object) -> None:
        self.store = store


class Receiver(KVTransferThread):
    def get(self, keys: list[str]) -> None:
        self.store.batch_get_into(keys)  # expect: vllm.load.remote restore
        self.store.batch_is_exist(keys)  # expect: nothing
