"""Replies resolve futures; the engine's side asks the futures."""

from __future__ import annotations

import queue


class MessagingFuture:
    def query(self) -> bool:
        return False

    def set_result(self, value: object) -> None: ...


class DeviceMessagingFuture(MessagingFuture):
    def __init__(self, raw: MessagingFuture) -> None:
        self.raw = raw


class MessageQueueServer:
    def __init__(self) -> None:
        self.output_queue: queue.Queue[bytes] = queue.Queue()
        self.input_queue: queue.Queue[bytes] = queue.Queue()

    def answer(self, frame: bytes) -> None:
        self.input_queue.put(frame)  # expect: nothing
        self.output_queue.put(frame)  # expect: rpc signal


class Client:
    def received(self, future: MessagingFuture) -> None:
        future.set_result(True)  # expect: rpc signal


class LMCacheMPWorkerAdapter:
    def __init__(self) -> None:
        self.store_futures: dict[str, MessagingFuture] = {}
        self.finished_stores: set[str] = set()
        self.seen: set[str] = set()

    def poll(self) -> None:
        for name, future in self.store_futures.items():
            if future.query():  # expect: engine-poll observe
                self.seen.add(name)  # expect: nothing
                self.finished_stores.add(name)  # expect: engine-poll signal


def with_event(raw: MessagingFuture) -> DeviceMessagingFuture:
    return DeviceMessagingFuture(raw)  # expect: nothing (the mechanism)


def send(raw: MessagingFuture) -> DeviceMessagingFuture:
    return with_event(raw)  # expect: engine-poll signal
