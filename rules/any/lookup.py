"""Lookups by shape: a method that asks an index and answers by what it finds; a question to a store."""

from __future__ import annotations


class Shelf:
    def __init__(self, client: RemoteClient) -> None:
        self.rows: dict[str, int] = {}
        self.client = client

    def add(self, key: str, row: int) -> None:
        self.rows[key] = row

    def drop(self, key: str) -> None:
        self.rows.pop(key)  # expect: nothing (it takes what it finds away)

    def ask(self, key: str) -> int | None:
        return self.rows.get(key)  # expect: query

    def send(self, key: str, data: bytes) -> None:
        self.client.put(key, data)

    def bring(self, key: str) -> bytes:
        return self.client.get(key)

    def there(self, key: str) -> bool:
        return self.client.exists(key)  # expect: query


class Match:
    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def longest(self, keys: list[str]) -> int:
        return sum(1 for k in keys if self.shelf.ask(k) is not None)  # expect: query
