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


class NixlStoreL2Adapter:
    def __init__(self) -> None:
        self._memory_objects: dict[str, int] = {}
        self._seen: dict[str, int] = {}

    async def written(self, key: str, place: int) -> None:
        self._seen[key] = place  # expect: nothing
        self._memory_objects[key] = place  # expect: l2-index commit

    def delete(self, key: str) -> None:
        self._memory_objects.pop(key, None)  # expect: l2-index unpublish


class RawBlockCore:
    def __init__(self) -> None:
        self._index: dict[str, int] = {}

    def put(self, key: str, slot: int) -> None:
        self._index[key] = slot  # expect: l2-index commit

    def drop(self, key: str) -> None:
        del self._index[key]  # expect: l2-index unpublish
