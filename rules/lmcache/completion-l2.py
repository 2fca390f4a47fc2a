"""L2 completion: work handed over through a list, results filed by task number."""

from __future__ import annotations

from abc import ABC, abstractmethod


class L2AdapterInterface(ABC):
    @abstractmethod
    def pop_completed_store_tasks(self) -> dict[int, bool]: ...

    @abstractmethod
    def query_load_result(self, task: int) -> object: ...


class StoreListener:
    def __init__(self) -> None:
        self._pending_keys: list[str] = []
        self._history: list[str] = []

    def on_keys(self, keys: list[str]) -> None:
        self._history.extend(keys)  # expect: nothing
        self._pending_keys.extend(keys)  # expect: l1-to-l2 signal

    def take(self) -> list[str]:
        keys = self._pending_keys
        self._pending_keys = []  # expect: l1-to-l2 observe
        return keys


class FSL2Adapter(L2AdapterInterface):
    def __init__(self) -> None:
        self._completed_store_tasks: dict[int, bool] = {}
        self._tasks: dict[int, str] = {}

    def written(self, task: int) -> None:
        self._tasks[task] = "written"  # expect: nothing
        self._completed_store_tasks[task] = True  # expect: l2-task signal

    def pop_completed_store_tasks(self) -> dict[int, bool]:
        return {}

    def query_load_result(self, task: int) -> object:
        return None


class Loop:
    def __init__(self, listener: StoreListener, adapter: L2AdapterInterface) -> None:
        self.listener = listener
        self.adapter = adapter

    def turn(self) -> None:
        self.listener.take()  # expect: l1-to-l2 observe
        self.adapter.pop_completed_store_tasks()  # expect: l2-task observe, l2-store-task observe
        self.adapter.query_load_result(1)  # expect: l2-task observe


class PrefetchController:
    def __init__(self) -> None:
        self._completed_results: dict[str, int] = {}

    def settle(self, request: str, hits: int) -> None:
        self._completed_results[request] = hits  # expect: prefetch-result signal

    def ask(self, request: str) -> int | None:
        return self._completed_results.pop(request, None)  # expect: prefetch-result observe


class PrefetchHandle:
    def __init__(self, hits: int) -> None:
        self.l1_prefix_hit_count = hits


def submitted(hits: int) -> PrefetchHandle:
    return PrefetchHandle(hits)  # expect: prefetch-status signal


def status(handle: PrefetchHandle) -> int:
    return handle.l1_prefix_hit_count  # expect: prefetch-status observe


class NativeClient:
    def drain_completions(self) -> list[int]: ...

    def event_fd(self) -> int: ...


class NativeConnectorL2Adapter:
    def __init__(self) -> None:
        self._client = NativeClient()

    def loop(self) -> list[int]:
        self._client.event_fd()  # expect: nothing
        return self._client.drain_completions()  # expect: native-drain observe


class Wrapped:
    """A wrapper asks the adapter inside of it."""

    def __init__(self, inner: L2AdapterInterface) -> None:
        self.inner = inner

    def drain(self) -> None:
        self.inner.query_load_result(2)  # expect: l2-task observe


class AsyncSerdeProcessor:
    def __init__(self) -> None:
        self._completed_serialize: dict[int, bool] = {}
        self._sizes: dict[int, int] = {}

    def packed(self, task: int) -> None:
        self._sizes[task] = 1  # expect: nothing
        self._completed_serialize[task] = True  # expect: serde-task signal

    def ask(self, task: int) -> bool | None:
        return self._completed_serialize.pop(task, None)  # expect: serde-task observe


class TransferChannelClient(ABC):
    @abstractmethod
    def query_read_status(self, task: int) -> bool: ...

    @abstractmethod
    def submit_read(self, task: int) -> None: ...


class P2PL2Adapter:
    def __init__(self, client: TransferChannelClient) -> None:
        self._tc_client = client
        self._completed_store_tasks: dict[int, bool] = {}

    def submit_store_task(self, task: int) -> None:
        self._completed_store_tasks[task] = True  # expect: peer-read signal

    def submit_load_task(self, task: int) -> None:
        self._tc_client.submit_read(task)  # expect: nothing

    def query_load_result(self, task: int) -> bool:
        return self._tc_client.query_read_status(task)  # expect: peer-read observe
