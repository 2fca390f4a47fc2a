"""Ends of copies, storage operations, transfers and forward passes."""

from __future__ import annotations

from queue import Queue
from typing import NamedTuple

import torch


class KVPoll:
    Failed = 0
    Success = 4


class HiCacheAck(NamedTuple):
    finish_event: torch.cuda.Event
    node_ids: list[int]


class HiCacheController:
    def __init__(self) -> None:
        self.ack_write_queue: list[HiCacheAck] = []
        self.ack_load_queue: list[HiCacheAck] = []
        self.ack_backup_queue: Queue[int] = Queue()
        self.prefetch_hit_queue: Queue[int] = Queue()
        self.prefetch_buffer: Queue[int] = Queue()

    def pass_on(self, operation: int) -> None:
        self.prefetch_buffer.put(operation)  # expect: storage-acks-old signal

    def copy_out(self, ack: HiCacheAck) -> None:
        self.ack_write_queue.append(ack)  # expect: copy-acks signal

    def copy_in(self, ack: HiCacheAck) -> None:
        self.ack_load_queue.append(ack)  # expect: load-acks signal

    def found(self, operation: int) -> None:
        self.prefetch_hit_queue.put(operation)  # expect: storage-acks signal

    def stop(self) -> None:
        self.prefetch_hit_queue.put(None)  # expect: nothing


class LayerDoneCounter:
    def __init__(self) -> None:
        self.consumer_index = -1

    def stand_at(self) -> int:
        return self.consumer_index  # expect: load-acks observe


class UnifiedRadixCache:
    cache_controller: HiCacheController

    def ready(self, ack: HiCacheAck) -> bool:
        return ack.finish_event.query()  # expect: copy-acks observe

    def written(self) -> int:
        count = 0
        for finished, _ in self.cache_controller.ack_write_queue:
            if not finished.query():  # expect: copy-acks observe
                break
            count += 1
        return count

    def loaded(self) -> None:
        for finished, _ in self.cache_controller.ack_load_queue:
            if not finished.query():  # expect: load-acks observe
                break
        del self.cache_controller.ack_load_queue[:1]  # expect: load-acks observe

    def drain(self) -> None:
        self.cache_controller.ack_write_queue.pop(0)  # expect: copy-acks observe
        self.cache_controller.ack_load_queue.pop(0)  # expect: load-acks observe
        self.cache_controller.ack_backup_queue.get()  # expect: storage-acks observe


class BaseKVManager: ...


class CommonKVManager(BaseKVManager):
    def __init__(self) -> None:
        self.request_status: dict[int, int] = {}

    def set_room(self, room: int, status: int) -> None:
        self.request_status[room] = status  # expect: nothing

    def landed(self, room: int) -> None:
        self.set_room(room, KVPoll.Success)  # expect: kv-poll signal

    def broken(self, room: int) -> None:
        self.set_room(room, KVPoll.Failed)  # expect: nothing


class BaseKVSender:
    kv_mgr: CommonKVManager

    def poll(self, room: int) -> int:
        return self.kv_mgr.request_status[room]  # expect: kv-poll observe


class GenerationBatchResult:
    copy_done: torch.cuda.Event


def to_host(result: GenerationBatchResult) -> None:
    result.copy_done.record()  # expect: forward-copy signal


def use(result: GenerationBatchResult) -> None:
    result.copy_done.synchronize()  # expect: forward-copy observe


class PrefetchOperation:
    def __init__(self) -> None:
        self._terminated_flag = False

    def mark_terminate(self) -> None:
        self._terminated_flag = True  # expect: storage-acks signal
