"""Reclaim by shape: a loop that removes from the index; a use compared with a limit; the last user; what is due."""

from __future__ import annotations

import time


class Row:
    def __init__(self) -> None:
        self.users = 0

    def is_free(self) -> bool:
        return self.users == 0  # expect: detect


class Pool:
    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.spare: list[Row] = []
        self.late: dict[str, float] = {}
        self.used = 0
        self.limit = 100

    def add(self, key: str, row: Row) -> None:
        self.rows[key] = row
        self.used += 10

    def ask(self, key: str) -> Row | None:
        return self.rows.get(key)

    def shrink(self, keys: list[str]) -> None:
        for key in keys:
            self.rows.pop(key)  # expect: evict
            self.used -= 10  # expect: free

    def full(self) -> bool:
        return self.used > self.limit  # expect: detect

    def take(self, row: Row) -> None:
        row.users += 1

    def leave(self, row: Row) -> None:
        row.users -= 1  # expect: free
        if row.is_free():
            self.spare.append(row)  # expect: free

    def park(self, key: str) -> None:
        self.late[key] = 1.0

    def reap(self, key: str) -> None:
        if self.late[key] < time.monotonic():
            self.late.pop(key)  # expect: free

    def forget(self, key: str) -> None:
        self.late.pop(key)  # expect: nothing (not by the clock)
