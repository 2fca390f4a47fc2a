"""Protection of a producer's blocks: a lease with a deadline, its renewal, its end; an entry that a send keeps alive."""

from __future__ import annotations

import time


class NixlBaseConnectorWorker:
    def __init__(self) -> None:
        self._reqs_to_send: dict[str, float] = {}  # expect: vllm.protection.transfer-lease define
        self._reqs_to_process: set[str] = set()

    def begin(self, req_id: str, deadline: float) -> None:
        self._reqs_to_process.add(req_id)  # expect: nothing
        self._reqs_to_send[req_id] = deadline  # expect: vllm.protection.transfer-lease acquire

    def renew(self, req_id: str) -> None:
        until = max(self._reqs_to_send[req_id], time.perf_counter() + 10)
        self._reqs_to_send[req_id] = until  # expect: vllm.protection.transfer-lease acquire


class Pull(NixlBaseConnectorWorker):
    def read(self, req_id: str) -> None:
        self._reqs_to_send.pop(req_id, None)  # expect: vllm.protection.transfer-lease release

    def reap(self, done: set[str]) -> None:
        now = time.perf_counter()
        for req_id in [r for r, at in self._reqs_to_send.items() if now >= at]:
            del self._reqs_to_send[req_id]  # expect: vllm.protection.transfer-lease expire
            done.add(req_id)  # expect: nothing


class SendBlockMeta:
    expire_time: float = 0.0  # expect: vllm.protection.transfer-send-entry define
    sending: int = 0
    sent: int = 0


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.reqs_need_send: dict[str, SendBlockMeta] = {}
        self.finished_sending_reqs: set[str] = set()

    def record(self, key: str, meta: SendBlockMeta) -> None:
        meta.expire_time = time.perf_counter() + 5  # expect: vllm.protection.transfer-send-entry acquire
        self.reqs_need_send[key] = meta  # expect: vllm.protection.transfer-send-entry acquire

    def send(self, key: str) -> None:
        meta = self.reqs_need_send[key]
        meta.sending += 1  # expect: vllm.protection.transfer-send-entry acquire
        meta.sent += 1  # expect: nothing
        meta.sending -= 1  # expect: vllm.protection.transfer-send-entry release
        self.reqs_need_send.pop(key)  # expect: vllm.protection.transfer-send-entry release
        self.finished_sending_reqs.add(key)  # expect: nothing


class MultiConnector:
    def __init__(self) -> None:
        self._extra_async_saves: dict[str, int] = {}

    def over(self, req_id: str, saves: int) -> None:
        self._extra_async_saves[req_id] = saves - 1  # expect: vllm.protection.transfer-several-connectors acquire

    def sent(self, req_id: str) -> None:
        del self._extra_async_saves[req_id]  # expect: vllm.protection.transfer-several-connectors release


class NixlPushConnectorScheduler:
    def __init__(self) -> None:
        self._push_registration_deadlines: dict[str, float] = {}

    def register(self, req_id: str, deadline: float) -> None:
        self._push_registration_deadlines[req_id] = deadline  # expect: vllm.protection.transfer-registration acquire

    def matched(self, req_id: str) -> None:
        self._push_registration_deadlines.pop(req_id)  # expect: vllm.protection.transfer-registration release

    def sweep(self) -> None:
        for req_id, deadline in list(self._push_registration_deadlines.items()):
            if deadline < time.perf_counter():
                del self._push_registration_deadlines[req_id]  # expect: vllm.protection.transfer-registration expire


class MoRIIOConnectorScheduler:
    def __init__(self) -> None:
        self._deferred_send_deadlines: dict[str, float] = {}

    def defer(self, req_id: str) -> None:
        self._deferred_send_deadlines[req_id] = 1.0  # expect: vllm.protection.transfer-deferred-send acquire

    def acknowledged(self, req_id: str) -> None:
        self._deferred_send_deadlines.pop(req_id)  # expect: vllm.protection.transfer-deferred-send release


class KVCacheStoreSendingThread:
    def __init__(self) -> None:
        self.stored_requests: dict[str, int] = {}

    def more(self, req_id: str) -> None:
        self.stored_requests[req_id] += 1  # expect: vllm.protection.transfer-open-stores acquire

    def less(self, req_id: str) -> None:
        self.stored_requests[req_id] -= 1  # expect: vllm.protection.transfer-open-stores release


class MooncakeConnectorScheduler:
    def __init__(self) -> None:
        self._reqs_need_send: dict[str, tuple[str, list[int]]] = {}

    def begun(self, req_id: str) -> None:
        self._reqs_need_send[req_id] = (req_id, [])  # expect: nothing (no blocks yet)

    def finished(self, req_id: str, blocks: list[int]) -> None:
        self._reqs_need_send[req_id] = (req_id, blocks)  # expect: vllm.protection.transfer-send-entry acquire
