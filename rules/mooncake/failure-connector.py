"""Invented: a time-out gives blocks back, an error is answered, a bad answer ends the pull."""

import time
from dataclasses import dataclass

import zmq
import zmq.asyncio

TRANS_DONE = b"done"
TRANS_ERROR = b"error"


@dataclass
class SendBlockMeta:
    expire_time: float = float("inf")


class MooncakeConnectorWorker:
    def __init__(self) -> None:
        self.reqs_need_send: dict[str, SendBlockMeta] = {}

    def sweep(self) -> None:
        now = time.perf_counter()
        # expect: unfetched detect
        expired = [r for r, m in self.reqs_need_send.items() if m.expire_time < now]
        for r in expired:
            del self.reqs_need_send[r]  # expect: unfetched fallback

    def write(self, code: int) -> None:
        if code != 0:
            raise RuntimeError(f"transfer failed: {code}")  # expect: pull-error detect

    async def serve(self, sock: zmq.asyncio.Socket, who: bytes) -> None:
        try:
            self.write(0)
        except Exception:  # expect: pull-error fallback
            await sock.send_multipart((who, b"", TRANS_ERROR))  # expect: pull-error fallback

    async def pull(self, sock: zmq.asyncio.Socket) -> None:
        answer = await sock.recv()
        if answer != TRANS_DONE:  # expect: pull-error fallback
            return
        self.write(0)  # expect: nothing
