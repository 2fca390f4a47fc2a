"""Decode announces its slots, and takes the request over when the pages and the metadata have landed."""

from __future__ import annotations


class Req:
    def __init__(self) -> None:
        self.output_ids: list[int] = []


class BaseKVReceiver:
    def send_metadata(self, slots: list[int]) -> None: ...


class DecodePreallocQueue:
    def announce(self, receiver: BaseKVReceiver, slots: list[int]) -> None:
        receiver.send_metadata(slots)  # expect: reserve


class DecodeTransferQueue:
    def take_over(self, req: Req, token: int) -> None:
        req.output_ids.append(token)  # expect: commit


class Sampler:
    def add(self, req: Req, token: int) -> None:
        req.output_ids.append(token)  # expect: nothing
