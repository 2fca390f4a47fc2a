"""In-process completion: lengths sent to the scheduler, and notes to the proxy."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass


@dataclass
class LookupResponseMsg:
    lookup_id: str
    tokens: int


class Channel:
    def send(self, frame: bytes) -> None: ...


class Answerer:
    def answer(self, lookup_id: str, tokens: int) -> None:
        print(LookupResponseMsg(lookup_id, tokens))  # expect: nothing (the mechanism)


class Tiers:
    def __init__(self, answerer: Answerer) -> None:
        self.answerer = answerer

    def all_loaded(self, lookup_id: str, tokens: int) -> None:
        self.answerer.answer(lookup_id, tokens)  # expect: async-lookup signal


class LMCacheAsyncLookupClient:
    def __init__(self) -> None:
        self.reqs_status: dict[str, int | None] = {}

    def started(self, lookup_id: str) -> None:
        self.reqs_status[lookup_id] = None  # expect: nothing (still waiting)

    def heard(self, lookup_id: str, parts: list[int]) -> None:
        self.reqs_status[lookup_id] = min(parts)  # expect: async-lookup observe


class PDBackend:
    def __init__(self, proxy: Channel, peer: Channel) -> None:
        self.proxy_side_channel: Channel = proxy
        self.peer_channel: Channel = peer

    def last_written(self) -> None:
        self.peer_channel.send(b"more")  # expect: nothing
        self.proxy_side_channel.send(b"done")  # expect: pd-proxy signal


def wait(put: Future[int]) -> int:
    return put.result()  # expect: remote-future observe


class EventManager:
    def pop_event(self, name: str) -> Future[int]:
        return Future()

    def add_event(self, name: str) -> None: ...


def take_loaded(events: EventManager, name: str) -> Future[int]:
    events.add_event(name)  # expect: nothing
    return events.pop_event(name)  # expect: async-lookup observe


class LMCacheAsyncLookupServer:
    def __init__(self, channel: Channel) -> None:
        self.push_socket: Channel = channel

    def answer(self, tokens: int) -> None:
        self.push_socket.send(bytes(tokens))  # expect: nothing (the mechanism)


class EarlyTiers:
    def __init__(self, server: LMCacheAsyncLookupServer) -> None:
        self.server = server

    def all_loaded(self, tokens: int) -> None:
        self.server.answer(tokens)  # expect: async-lookup signal


class NixlStorageAgent:
    def __init__(self, nixl: object) -> None:
        self.nixl_agent = nixl

    def ask(self, handle: int) -> str:
        self.nixl_agent.describe(handle)  # expect: nothing
        return self.nixl_agent.check_xfer_state(handle)  # expect: one-sided observe


class NixlStorageBackend:
    def __init__(self) -> None:
        self.progress_set: set[str] = set()
        self.known: set[str] = set()

    def written(self, key: str) -> None:
        self.known.discard(key)  # expect: nothing
        self.progress_set.discard(key)  # expect: put-tasks signal


async def run(job: Future[int]) -> None:
    job.set_result(1)  # expect: tier-job signal
