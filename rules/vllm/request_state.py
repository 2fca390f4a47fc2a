"""What the request-state rules must see, and what looks like it but is not: invented code in the engine's shapes."""

from __future__ import annotations

import enum


class RequestStatus(enum.IntEnum):  # expect: vllm.request_state.status define
    WAITING = 1  # expect: vllm.request_state.status define
    RUNNING = 2
    PREEMPTED = 3
    FINISHED_STOPPED = 4

    @staticmethod
    def over(status: RequestStatus) -> bool:
        return status > RequestStatus.PREEMPTED  # expect: vllm.request_state.status define

    @staticmethod
    def reason(status: RequestStatus) -> str:
        return NAMES[status]  # expect: nothing


NAMES = {RequestStatus.FINISHED_STOPPED: "stop"}


class Request:
    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.status = RequestStatus.WAITING  # expect: vllm.request_state.status transition
        self.num_computed_tokens = 0
        self.num_in_flight_tokens = 0


class Answer:
    def __init__(self) -> None:
        self.status = RequestStatus.WAITING  # expect: nothing

    def close(self) -> None:
        self.status = RequestStatus.FINISHED_STOPPED  # expect: nothing


class RequestQueue:
    def add_request(self, request: Request) -> None: ...

    def peek_request(self) -> Request: ...


class Scheduler:
    def __init__(self) -> None:
        self.requests: dict[str, Request] = {}
        self.waiting = RequestQueue()
        self.running: list[Request] = []

    def take(self, request: Request) -> None:
        self.waiting.add_request(request)  # expect: vllm.request_state.queues transition
        self.requests[request.request_id] = request  # expect: vllm.request_state.registry transition

    def step(self, tokens: int) -> None:
        request = self.waiting.peek_request()  # expect: nothing
        if request.status == RequestStatus.WAITING:  # expect: nothing
            request.status = RequestStatus.RUNNING  # expect: vllm.request_state.status transition
            self.running.append(request)  # expect: vllm.request_state.queues transition
        request.num_computed_tokens += tokens  # expect: vllm.request_state.progress transition

    def drop(self, request_id: str) -> None:
        del self.requests[request_id]  # expect: vllm.request_state.registry transition


class LMCacheMPRequestState(enum.Enum):  # expect: vllm.request_state.lmcache-mp define
    PREFETCHING = 1
    READY = 2


class LMCacheMPRequestTracker:
    state: LMCacheMPRequestState = LMCacheMPRequestState.PREFETCHING

    def arrive(self) -> None:
        self.state = LMCacheMPRequestState.READY  # expect: vllm.request_state.lmcache-mp transition
