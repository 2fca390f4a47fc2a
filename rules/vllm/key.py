"""Keys: a chained hash, a list of keys that grows with the request, and names derived from them."""

from __future__ import annotations

import hashlib
from typing import Callable, NewType

BlockHash = NewType("BlockHash", bytes)
OffloadKey = NewType("OffloadKey", bytes)


def chain(hash_function: Callable[[object], bytes], parent: bytes, tokens: list[int]) -> BlockHash:
    return BlockHash(hash_function((parent, tokens)))  # expect: vllm.key.block-hash derive


def cut(key: bytes) -> BlockHash:
    return BlockHash(key[:-4])  # expect: nothing


class Request:
    def __init__(self) -> None:
        self.block_hashes: list[BlockHash] = []
        self.tokens: list[int] = []

    def grow(self, fn: Callable[[object], bytes]) -> None:
        self.tokens.append(1)  # expect: nothing
        block_hash = chain(fn, b"", self.tokens)  # expect: vllm.key.block-hash derive
        self.block_hashes.append(block_hash)  # expect: vllm.key.block-hash derive


def host_key(block_hash: bytes, group: int) -> OffloadKey:
    return OffloadKey(block_hash + group.to_bytes(4, "big"))  # expect: vllm.key.host derive


def folder(fields: str) -> str:
    return hashlib.sha256(fields.encode()).hexdigest()  # expect: vllm.key.file derive, vllm.key.other-connectors derive


class PoolKey:
    chunk_hash: str = ""

    @staticmethod
    def join(prefix: str, chunk_hash: str) -> str:
        return f"{prefix}@{chunk_hash}"  # expect: vllm.key.store derive
