"""References on regions, taken by readers and dropped by handles; regions of a store that are pinned by key."""

from __future__ import annotations

from abc import ABC, abstractmethod


class RefCountedObj(ABC):
    def __init__(self) -> None:
        self.ref_count = 1  # expect: nothing (construction)

    def ref_up(self) -> None:
        self.ref_count += 1  # expect: ref-count acquire

    def ref_down(self) -> None:
        self.ref_count -= 1  # expect: ref-count release


class KVCacheHandle(ABC):
    @abstractmethod
    def release(self) -> None: ...


class Handle(KVCacheHandle):
    def __init__(self, blocks: list[RefCountedObj]) -> None:
        self.blocks = blocks

    def release(self) -> None:
        for block in self.blocks:
            block.ref_down()  # expect: hold release


def read(block: RefCountedObj, known: dict[str, RefCountedObj]) -> RefCountedObj:
    block.ref_up()  # expect: hold acquire
    known.get("x")  # expect: nothing
    return block


def done(handle: KVCacheHandle) -> None:
    handle.release()  # expect: hold release


class Connector(ABC):
    async def acquire(self, key: str) -> object: ...

    async def release(self, region: object) -> None: ...


class L2Cache:
    def __init__(self, connector: Connector) -> None:
        self._connector = connector

    def _enqueue_mr_op(self, region: object, op: object) -> None: ...

    async def read_in_place(self, key: str) -> None:
        region = await self._connector.acquire(key)  # expect: store-pin acquire
        self._enqueue_mr_op(region, self._connector.release)  # expect: store-pin release
