"""Keys: a page's digest chained over its prefix, and the first page as the child map's subscript."""

from __future__ import annotations

import hashlib


def page_key(prior: str, tokens: bytes) -> str:
    return hashlib.sha256(prior.encode() + tokens).hexdigest()  # expect: key.hash-chain derive


class RadixKey:  # expect: key.radix-key derive
    token_ids: list[int]
    extra_key: str | None

    def first_page(self, size: int) -> tuple[str | None, tuple[int, ...]]:
        plain = tuple(self.token_ids[:size])  # expect: key.child-key derive
        return (self.extra_key, plain)

    def length(self) -> int:
        return len(self.token_ids)  # expect: nothing
