"""Invented: a pull is started on another loop; a poll on the same loop is something else."""

import asyncio
import concurrent.futures

from mooncake.engine import TransferEngine


class MooncakeConnectorScheduler:
    def __init__(self) -> None:
        self._reqs_need_recv: dict[str, list[int]] = {}

    def allocated(self, req: str, blocks: list[int]) -> None:
        self._reqs_need_recv[req] = blocks  # expect: pull acquire


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.receiver_loop = asyncio.new_event_loop()
        self.engine = TransferEngine()

    async def fetch(self, ids: list[str]) -> None:
        await asyncio.sleep(0)  # expect: nothing

    def start(self, ids: list[str]) -> None:
        for one in ids:
            asyncio.run_coroutine_threadsafe(self.fetch([one]), self.receiver_loop)  # expect: pull restore

    def poll(self) -> None:
        future: concurrent.futures.Future = asyncio.run_coroutine_threadsafe(self.fetch([]), self.receiver_loop)  # expect: nothing
        future.result()

    def push(self, where: str) -> int:
        return self.engine.batch_transfer_sync_write(where, [], [], [])  # expect: pull restore
