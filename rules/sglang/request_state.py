"""A request's life: fields and the lists it stands in; a transfer's life: small integers by room."""

from __future__ import annotations


# expect: define
class BaseFinishReason: ...


class FINISH_LENGTH(BaseFinishReason): ...


# expect: define
class KVPoll:
    Failed = 0
    Success = 4


class Req:
    def __init__(self) -> None:
        self.finished_reason: BaseFinishReason | None = None  # expect: define
        self.to_finish: BaseFinishReason | None = None  # expect: define
        self.is_retracted = False  # expect: define
        self.rid = "r"  # expect: nothing

    def close(self) -> None:
        if self.to_finish:
            self.finished_reason = self.to_finish  # expect: req-fields transition

    def back_to_start(self) -> None:
        self.is_retracted = True  # expect: req-fields transition

    def is_over(self) -> bool:
        return self.finished_reason is not None  # expect: nothing


class ScheduleBatch:
    reqs: list[Req]

    def merge_batch(self, other: ScheduleBatch) -> None:
        self.reqs.extend(other.reqs)  # expect: nothing


class PrefillAdder:
    def __init__(self) -> None:
        self.can_run_list: list[Req] = []
        self.preempt_list: list[Req] = []

    def admit(self, req: Req) -> None:
        self.can_run_list.append(req)  # expect: queues transition
        self.preempt_list.append(req)  # expect: queues transition


class Scheduler:
    def __init__(self) -> None:
        self.waiting_queue: list[Req] = []
        self.running_batch = ScheduleBatch()

    def enter(self, req: Req) -> None:
        self.waiting_queue.append(req)  # expect: queues transition

    def step(self, new: ScheduleBatch, out: Req) -> None:
        self.running_batch.merge_batch(new)  # expect: running-batch transition
        self.enter(out)  # expect: requeue transition

    def load(self) -> int:
        return len(self.waiting_queue)  # expect: nothing


class DecodeTransferQueue:
    def __init__(self) -> None:
        self.queue: list[Req] = []

    def take(self, req: Req, gone: set[int]) -> None:
        self.queue.append(req)  # expect: pd-queues transition
        self.queue = [r for i, r in enumerate(self.queue) if i not in gone]  # expect: pd-queues transition


class CommonKVManager:
    def __init__(self) -> None:
        self.request_status: dict[int, int] = {}

    def set_room(self, room: int, status: int) -> None:
        self.request_status[room] = status  # expect: kv-poll transition

    def landed(self, room: int) -> None:
        self.set_room(room, KVPoll.Success)  # expect: kv-poll transition
