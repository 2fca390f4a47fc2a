"""Keys: chained chunk hashes, joined with model and rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

functions: dict[str, Callable[[object], int]] = {}


class TokenHasher:
    def __init__(self, name: str) -> None:
        self.hash_func = functions[name]
        self.nothing = self.hash_func((0, (0,)))  # expect: nothing

    def hash_tokens(self, tokens: list[int], prefix: int) -> int:
        return self.hash_func((prefix, tuple(tokens)))  # expect: chunk-hash derive

    def size(self) -> int:
        return 0


@dataclass
class ObjectKey:
    chunk_hash: int
    kv_rank: int
    model: str


@dataclass
class CacheEngineKey:
    model: str
    chunk_hash: int


def chain(hasher: TokenHasher, chunks: list[list[int]]) -> list[int]:
    prefix, out = hasher.size(), []  # expect: nothing
    for chunk in chunks:
        prefix = hasher.hash_tokens(chunk, prefix)  # expect: chunk-hash derive
        out.append(prefix)
    return out


def for_server(value: int) -> ObjectKey:
    return ObjectKey(value, 0, "m")  # expect: key.object derive


def for_engine(value: int) -> CacheEngineKey:
    return CacheEngineKey("m", value)  # expect: key.in-process derive


def name_of(key: ObjectKey) -> str:
    return f"{key.model}@{key.kv_rank:x}@{key.chunk_hash:x}"  # expect: key.wire derive


def model_of(key: ObjectKey) -> str:
    return key.model  # expect: nothing
