"""Invented: a table of requests that another node may fetch, entered first and made ready later."""

import asyncio
from dataclasses import dataclass


@dataclass
class SendBlockMeta:
    local_block_ids: list[int]
    ready: asyncio.Event
    expire_time: float = float("inf")


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.reqs_need_send: dict[str, SendBlockMeta] = {}
        self.seen: dict[str, int] = {}

    def announce(self, req: str) -> None:
        # expect: send-table reserve
        self.reqs_need_send[req] = SendBlockMeta([], asyncio.Event())
        self.seen[req] = 1  # expect: nothing

    def offer(self, req: str, blocks: list[int]) -> None:
        entry = self.reqs_need_send[req]
        entry.local_block_ids = blocks  # expect: send-table commit
        entry.ready.set()  # expect: send-table commit

    def close(self, req: str) -> None:
        del self.reqs_need_send[req]  # expect: send-table unpublish
