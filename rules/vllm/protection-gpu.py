"""Protection on the GPU: counts with a free queue, delayed frees, a fence by block id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque


class FreeKVCacheBlockQueue:
    def popleft(self) -> KVCacheBlock: ...

    def remove(self, block: KVCacheBlock) -> None: ...

    def append(self, block: KVCacheBlock) -> None: ...


class KVCacheBlock:
    block_id: int = 0
    ref_cnt: int = 0  # expect: vllm.protection.gpu-block-count define


class ChunkStatus:
    ref_cnt: int = -1  # expect: nothing


class BlockPool:
    def __init__(self) -> None:
        self.free_block_queue = FreeKVCacheBlockQueue()
        self.free_block_queue.popleft()  # expect: nothing

    def pin(self, block: KVCacheBlock) -> None:
        if block.ref_cnt == 0:
            self.free_block_queue.remove(block)  # expect: vllm.protection.gpu-block-count acquire
        block.ref_cnt += 1  # expect: vllm.protection.gpu-block-count acquire

    def unpin(self, block: KVCacheBlock) -> None:
        block.ref_cnt -= 1  # expect: vllm.protection.gpu-block-count release
        if block.ref_cnt == 0:
            self.free_block_queue.append(block)  # expect: nothing

    def other(self, chunk: ChunkStatus) -> None:
        chunk.ref_cnt += 1  # expect: nothing


class Attach:
    def __init__(self, pool: BlockPool) -> None:
        self.pool = pool

    def hit(self, block: KVCacheBlock) -> None:
        self.pool.pin(block)  # expect: vllm.protection.gpu-block-count acquire


class KVConnectorBase_V1(ABC):
    @abstractmethod
    def request_finished(self, request: object) -> bool: ...


class Request:
    request_id: str
    status: int


class Scheduler:
    def __init__(self, connector: KVConnectorBase_V1) -> None:
        self.requests: dict[str, object] = {}
        self.deferred_frees: deque[tuple[int, list[KVCacheBlock]]] = deque()
        self.connector: KVConnectorBase_V1 = connector
        self.finished_recving_kv_req_ids: set[str] = set()

    def end(self, request: Request, finished_status: int) -> None:
        loading = request.request_id not in self.finished_recving_kv_req_ids  # expect: vllm.protection.gpu-finished-request acquire
        request.status = finished_status
        self.forget_unless(request, loading)

    def ask(self, request: Request) -> bool:
        return request.request_id not in self.finished_recving_kv_req_ids  # expect: nothing

    def forget_unless(self, request: Request, loading: bool) -> None: ...

    def over(self, request_id: str) -> None:
        request = self.requests[request_id]
        keep = self.connector.request_finished(request)  # expect: vllm.protection.gpu-finished-request acquire
        if not keep:
            self.forget(request_id)  # expect: vllm.protection.gpu-finished-request release

    def forget(self, request_id: str) -> None:
        del self.requests[request_id]  # expect: nothing

    def later(self, blocks: list[KVCacheBlock]) -> None:
        self.deferred_frees.append((1, blocks))  # expect: vllm.protection.gpu-step-fence acquire

    def now(self) -> None:
        self.deferred_frees.popleft()  # expect: vllm.protection.gpu-step-fence release


class OffloadingWorker(ABC):
    @abstractmethod
    def wait(self, job_ids: set[int]) -> None: ...


class OffloadingConnectorScheduler:
    def __init__(self) -> None:
        self._block_id_to_pending_jobs: dict[int, set[int]] = {}
        self._current_batch_jobs_to_flush: set[int] = set()

    def store(self, block_id: int, job_id: int) -> None:
        jobs = self._block_id_to_pending_jobs
        jobs.setdefault(block_id, set()).add(job_id)  # expect: vllm.protection.gpu-offload-fence acquire

    def check(self, block_id: int) -> None:
        if block_id in self._block_id_to_pending_jobs:  # expect: nothing
            jobs = self._block_id_to_pending_jobs[block_id]
            self._current_batch_jobs_to_flush.update(jobs)  # expect: vllm.protection.gpu-offload-fence release


class Waiter:
    def __init__(self, worker: OffloadingWorker) -> None:
        self.worker: OffloadingWorker = worker

    def before(self, jobs_to_flush: set[int]) -> None:
        self.worker.wait(jobs_to_flush)  # expect: vllm.protection.gpu-offload-fence release

    def loads(self, sync_jobs: set[int]) -> None:
        self.worker.wait(sync_jobs)  # expect: nothing


class SimpleCPUOffloadScheduler:
    def __init__(self, pool: BlockPool) -> None:
        self._gpu_block_pool: BlockPool = pool
        self._pinned: list[KVCacheBlock] = []

    def hold(self, block: KVCacheBlock) -> None:
        self._pinned.append(block)  # expect: nothing
        self._gpu_block_pool.pin(block)  # expect: vllm.protection.gpu-simple-offload acquire


class HiSparseResidentManager:
    def __init__(self, pool: BlockPool) -> None:
        self.block_pool: BlockPool = pool


class PageCopies:
    def __init__(self, manager: HiSparseResidentManager) -> None:
        self.manager: HiSparseResidentManager = manager

    def begin(self, block: KVCacheBlock) -> None:
        self.manager.block_pool.pin(block)  # expect: vllm.protection.gpu-detached-pages acquire


class MooncakeStoreScheduler:
    def __init__(self) -> None:
        self._pinned_saves: dict[int, list[int]] = {}

    def begin(self, job: int) -> None:
        self._pinned_saves[job] = [1]  # expect: vllm.protection.gpu-connector-pins acquire

    def end(self, job: int) -> None:
        self._pinned_saves.pop(job)  # expect: vllm.protection.gpu-connector-pins release
