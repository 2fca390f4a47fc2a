"""Publishing by shape: an index that one method asks, another fills and a third removes from; staging; a switch."""

from __future__ import annotations


class Entry:
    def __init__(self) -> None:
        self.open = False


class Shelf:
    def __init__(self) -> None:
        self.rows: dict[str, Entry] = {}
        self.waiting: dict[str, Entry] = {}
        self.log: dict[str, int] = {}

    def begin(self, key: str) -> None:
        self.waiting[key] = Entry()  # expect: staging reserve

    def admit(self, key: str) -> None:
        entry = self.waiting.pop(key)  # expect: nothing (it goes on into the index)
        self.rows[key] = entry  # expect: index commit

    def give_up(self, key: str) -> None:
        self.waiting.pop(key)  # expect: staging revoke

    def ask(self, key: str) -> Entry | None:
        entry = self.rows.get(key)  # expect: nothing (a read)
        if entry is None or not entry.open:
            return None
        return entry

    def unlock(self, key: str) -> None:
        self.rows[key].open = True  # expect: predicate commit

    def drop(self, key: str) -> None:
        del self.rows[key]  # expect: index unpublish

    def note(self, key: str) -> None:
        self.log[key] = 1  # expect: nothing (nobody looks it up)


class Upload:
    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def finish(self, key: str) -> None:
        self.shelf.admit(key)  # expect: index commit

    def open_up(self, key: str) -> None:
        self.shelf.unlock(key)  # expect: predicate commit

    def cancel(self, key: str) -> None:
        self.shelf.drop(key)  # expect: index unpublish


class Far:
    def __init__(self, client: RemoteClient) -> None:
        self.client = client

    def send(self, key: str, data: bytes) -> None:
        self.client.put(key, data)  # expect: store commit

    def bring(self, key: str) -> bytes:
        return self.client.get(key)  # expect: nothing (a read)
