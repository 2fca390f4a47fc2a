"""Invented: two coroutines fill sets of finished ids, the engine drains them."""

import asyncio
import concurrent.futures
from dataclasses import dataclass

import zmq
import zmq.asyncio

TRANS_DONE = b"done"


@dataclass
class SendBlockMeta:
    ready: asyncio.Event


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.finished_sending_reqs: set[str] = set()
        self.finished_recving_reqs: set[str] = set()
        self.counted: set[str] = set()

    async def answer(self, sock: zmq.asyncio.Socket, who: bytes, ids: list[str]) -> None:
        await sock.send_multipart((who, b"", TRANS_DONE))  # expect: wire-answer signal
        self.finished_sending_reqs.update(ids)  # expect: finished-sets relay
        self.counted.update(ids)  # expect: nothing

    async def ask(self, sock: zmq.asyncio.Socket, ids: list[str]) -> None:
        await sock.recv()  # expect: wire-answer observe
        self.finished_recving_reqs.update(ids)  # expect: finished-sets relay

    async def take(self) -> set[str]:
        done = self.finished_recving_reqs
        self.finished_recving_reqs = set()  # expect: finished-sets observe
        return done

    def poll(self, future: concurrent.futures.Future) -> set[str]:
        return future.result()  # expect: finished-sets observe

    async def send(self, entry: SendBlockMeta) -> None:
        await entry.ready.wait()  # expect: ready-event observe

    async def offer(self, entry: SendBlockMeta) -> None:
        entry.ready.set()  # expect: ready-event signal
