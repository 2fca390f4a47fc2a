"""Loads by shape: copies into a buffer; gets from a store that others put into."""

from __future__ import annotations


class Near:
    def __init__(self, client: RemoteClient) -> None:
        self.client = client

    def fill(self, target: Tensor, source: Tensor) -> None:
        target.copy_(source)  # expect: restore

    def send(self, key: str, data: bytes) -> None:
        self.client.put(key, data)  # expect: nothing (a put)

    def bring(self, key: str) -> bytes:
        return self.client.get(key)  # expect: restore

    def clone(self, source: Tensor) -> Tensor:
        return source.copy()  # expect: nothing (no buffer is filled)


class Step:
    def __init__(self, near: Near) -> None:
        self.near = near

    def run(self, target: Tensor, source: Tensor) -> None:
        self.near.fill(target, source)  # expect: restore
