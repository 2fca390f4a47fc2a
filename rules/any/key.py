"""Keys by shape: each digest enters the next; library digests; what is called a hash, of tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Callable


def chain(mix: Callable[[bytes, list[int]], bytes], pages: list[list[int]]) -> list[bytes]:
    out = []
    prev = b""
    for page in pages:
        prev = mix(prev, page)  # expect: derive
        out.append(prev)
    return out


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()  # expect: derive


def of_block(hash_fn: Callable[[object], int], parent: int, tokens: list[int]) -> int:
    return hash_fn((parent, tokens))  # expect: derive


def total(items: list[int]) -> int:
    out = 0
    for item in items:
        out = max(item, 0)  # expect: nothing (the last result does not enter)
    return out
