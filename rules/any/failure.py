"""Failure by shape: a handler that changes shared state, an error logged beside such a change, a test by the clock."""

from __future__ import annotations

import logging
import time

logger = logging.getLogger(__name__)


class Mover:
    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}
        self.failed_keys: set[str] = set()
        self.start = 0.0

    def add(self, key: str, data: bytes) -> None:
        self.rows[key] = data

    def ask(self, key: str) -> bytes | None:
        return self.rows.get(key)

    def move(self, key: str) -> None:
        try:
            self.send(key)
        except OSError:  # expect: fallback
            self.rows.pop(key)

    def send(self, key: str) -> None:
        try:
            print(key)
        except ValueError:  # expect: nothing (it changes nothing)
            print("no")

    def check(self, key: str, ok: bool) -> None:
        if not ok:
            logger.warning("lost %s", key)  # expect: fallback
            self.rows.pop(key)

    def mark(self, key: str) -> None:
        self.failed_keys.add(key)  # expect: fallback

    def begin(self) -> None:
        self.start = time.monotonic()

    def overdue(self) -> None:
        if time.monotonic() - self.start > 3:  # expect: detect
            raise TimeoutError

    def hello(self) -> None:
        logger.warning("hello")  # expect: nothing (nothing changes)
