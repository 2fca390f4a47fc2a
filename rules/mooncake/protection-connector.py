"""Invented: blocks of a finished request are kept until they were fetched or a time-out passed."""

import time
from dataclasses import dataclass

TIMEOUT = 120


@dataclass
class SendBlockMeta:
    local_block_ids: list[int]
    expire_time: float = float("inf")


class MooncakeConnectorScheduler:
    def __init__(self) -> None:
        self._reqs_need_send: dict[str, list[int]] = {}

    def finished(self, req: str, blocks: list[int]) -> tuple[bool, int]:
        delay_free = bool(blocks)
        if delay_free:
            self._reqs_need_send[req] = blocks  # expect: delayed-blocks acquire
        return delay_free, 1  # expect: delayed-blocks acquire


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.finished_sending_reqs: set[str] = set()
        self.reqs_need_send: dict[str, SendBlockMeta] = {}

    def offer(self, req: str) -> None:
        entry = self.reqs_need_send[req]
        entry.expire_time = time.perf_counter() + TIMEOUT  # expect: delayed-blocks expire

    def drain(self) -> set[str]:
        done = self.finished_sending_reqs
        self.finished_sending_reqs = set()  # expect: delayed-blocks release
        now = time.perf_counter()
        # expect: delayed-blocks expire
        late = [r for r, m in self.reqs_need_send.items() if m.expire_time < now]
        for r in late:
            del self.reqs_need_send[r]  # expect: delayed-blocks release
        return done.union(late)  # expect: nothing
