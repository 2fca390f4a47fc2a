"""Storage backends: a file by its name, a store's client, a metadata server that confirms what was written."""

from __future__ import annotations

import os

import numpy


class HiCacheStorage:
    def get(self, key: str, into: memoryview) -> int: ...

    def set(self, key: str, page: numpy.ndarray) -> bool: ...

    def exists(self, key: str) -> bool: ...


class FileStore(HiCacheStorage):
    folder = "pages"

    def get(self, key: str, into: memoryview) -> int:
        with open(os.path.join(self.folder, key), "rb", buffering=0) as file:
            return file.readinto(into)  # expect: load.backends restore

    def set(self, key: str, page: numpy.ndarray) -> bool:
        page.tofile(os.path.join(self.folder, key))  # expect: publish.file-old commit
        return True

    def exists(self, key: str) -> bool:
        return os.path.exists(os.path.join(self.folder, key))  # expect: lookup.backends query

    def prepare(self) -> bool:
        return os.path.exists(self.folder)  # expect: nothing


class Hf3fsMetadataInterface:
    def reserve_and_allocate_page_indices(self, keys: list[str]) -> list[int]: ...

    def confirm_write(self, pages: list[int]) -> None: ...


class FlashStore(HiCacheStorage):
    metadata: Hf3fsMetadataInterface

    def fill(self, keys: list[str]) -> None:
        pages = self.metadata.reserve_and_allocate_page_indices(keys)  # expect: publish.file-old reserve
        self.metadata.confirm_write(pages)  # expect: publish.file-old commit


class Client:
    def batch_is_exist(self, keys: list[str]) -> list[int]: ...

    def batch_get_into(self, keys: list[str], buffers: list[int]) -> list[int]: ...


class MooncakeStore:
    def __init__(self) -> None:
        self.store = Client()

    def has(self, keys: list[str]) -> list[int]:
        return self.store.batch_is_exist(keys)  # expect: lookup.backends query

    def fetch(self, keys: list[str], buffers: list[int]) -> list[int]:
        return self.store.batch_get_into(keys, buffers)  # expect: load.backends restore


class Remote:
    def mset(self, keys: list[str]) -> int: ...

    def mget(self, keys: list[str]) -> int: ...


class EICStorage(HiCacheStorage):
    def __init__(self) -> None:
        self.connection = Remote()

    def store_all(self, keys: list[str]) -> int:
        return self.connection.mset(keys)  # expect: publish.backend-clients commit

    def fetch_all(self, keys: list[str]) -> int:
        return self.connection.mget(keys)  # expect: load.backends restore
