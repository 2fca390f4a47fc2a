"""Protection by shape: a count that the remover tests, a deadline against the clock, a hold on a lock of the entry."""

from __future__ import annotations

import time


class Row:
    def __init__(self, lock: NativeLock) -> None:
        self.users = 0  # expect: guard define
        self.until = 0.0
        self.lock = lock
        self.seen = 0

    def is_used(self) -> bool:
        return self.users > 0  # expect: guard observe


class Table:
    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(self, key: str, row: Row) -> None:
        self.rows[key] = row

    def ask(self, key: str) -> Row | None:
        return self.rows.get(key)

    def evict(self, key: str) -> None:
        row = self.rows[key]
        if row.is_used() or row.lock.is_locked():  # expect: nothing (the guard itself)
            return
        del self.rows[key]

    def enter(self, row: Row) -> None:
        row.users += 1  # expect: guard acquire

    def leave(self, row: Row) -> None:
        row.users -= 1  # expect: guard release

    def extend(self, row: Row) -> None:
        row.until = time.monotonic() + 1  # expect: deadline acquire

    def late(self, row: Row) -> bool:
        return row.until < time.monotonic()  # expect: deadline expire

    def hold(self, key: str) -> None:
        self.rows[key].lock.acquire()  # expect: hold acquire

    def let_go(self, key: str) -> None:
        self.rows[key].lock.release()  # expect: hold release

    def look(self, row: Row) -> None:
        row.seen += 1  # expect: nothing (it never goes down)


class Reader:
    def __init__(self, table: Table) -> None:
        self.table = table

    def read(self, row: Row) -> None:
        self.table.enter(row)  # expect: guard acquire
        self.table.leave(row)  # expect: guard release
