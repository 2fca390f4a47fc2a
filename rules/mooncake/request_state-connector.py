"""Invented: what two sides of a connector keep about one request."""

from dataclasses import dataclass


@dataclass
class SendBlockMeta:  # expect: send-record define
    local_block_ids: list[int]
    expire_time: float = float("inf")  # expect: send-record define


class MooncakeConnectorScheduler:
    def __init__(self) -> None:
        self._reqs_need_recv: dict[str, list[int]] = {}  # expect: nothing
        self._reqs_need_send: dict[str, list[int]] = {}

    def allocated(self, req: str, blocks: list[int]) -> None:
        self._reqs_need_recv[req] = blocks  # expect: pending-tables transition

    def step(self) -> None:
        self._reqs_need_send.clear()  # expect: pending-tables transition


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.reqs_need_send: dict[str, SendBlockMeta] = {}

    def announce(self, req: str) -> None:
        self.reqs_need_send[req] = SendBlockMeta([])  # expect: send-record transition

    def offer(self, req: str, blocks: list[int]) -> None:
        entry = self.reqs_need_send[req]
        entry.local_block_ids = blocks  # expect: send-record transition
        entry.expire_time = 1.0  # expect: send-record transition
