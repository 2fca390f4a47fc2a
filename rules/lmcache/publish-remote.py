"""Remote publishing: an atomic rename, or a client's put on a worker thread."""

from __future__ import annotations

import asyncio
import os


def save(path: str, data: bytes) -> None:
    with open(path + ".part", "wb") as out:
        out.write(data)  # expect: nothing (the temporary name)
    os.replace(path + ".part", path)  # expect: file-rename commit


class Bridge:
    def __init__(self, store: object) -> None:
        self.store = store

    async def send(self, keys: list[str]) -> None:
        await asyncio.to_thread(self.store.batch_put_from, keys)  # expect: mooncake-put commit
        await asyncio.to_thread(self.store.close)  # expect: nothing


class RemoteConnector:
    async def put(self, key: str) -> None: ...

    async def exists(self, key: str) -> bool:
        return False


async def hand_over(connector: RemoteConnector, key: str) -> None:
    if not await connector.exists(key):  # expect: nothing
        await connector.put(key)  # expect: remote-put commit


def save_or_clean(path: str, tmp_path: str) -> None:
    try:
        os.replace(tmp_path, path)  # expect: file-rename commit
    except OSError:
        os.unlink(tmp_path)  # expect: file-rename revoke
