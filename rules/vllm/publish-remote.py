"""Publication outside of the engine: rename of a finished file, batched puts, and what a finished request returns."""

from __future__ import annotations

import os
import queue
import threading

import safetensors.torch


def write_block(path: str, data: bytes) -> None:
    tmp_path = path + ".tmp"
    try:
        with open(tmp_path, "wb") as f:
            f.write(data)  # expect: nothing
        os.replace(tmp_path, path)  # expect: vllm.publish.remote-file commit
    except OSError:
        os.remove(tmp_path)  # expect: vllm.publish.remote-file revoke
        raise


def probe(path: str) -> None:
    os.remove(path)  # expect: nothing


class SecondaryTierManager:
    def submit_store(self, job: object) -> None: ...

    def submit_load(self, job: object) -> None: ...


class Tiers:
    def __init__(self, tiers: list[SecondaryTierManager]) -> None:
        self.tiers: list[SecondaryTierManager] = tiers

    def cascade(self, job: object) -> None:
        for tier in self.tiers:
            tier.submit_store(job)  # expect: vllm.publish.remote-tier reserve
            tier.submit_load(job)  # expect: nothing


class KVTransferThread(threading.Thread):
    def __init__(self, store: object) -> None:
        self.store = store
        self.request_queue: queue.Queue[object] = queue.Queue()


class Sending(KVTransferThread):
    def send(self, keys: list[str]) -> None:
        if self.store.batch_is_exist(keys):  # expect: nothing
            return
        self.store.batch_put_from_multi_buffers(keys, [], [])  # expect: vllm.publish.remote-store-put commit


class Writer:
    def layer(self, tensors: dict[str, object], name: str) -> None:
        safetensors.torch.save_file(tensors, name)  # expect: vllm.publish.remote-tensor-file commit


class Producer:
    def over(self, block_ids: list[int]) -> tuple[bool, dict[str, object] | None]:
        if not block_ids:
            return False, None  # expect: nothing
        return True, dict(do_remote_prefill=True, remote_block_ids=block_ids)  # expect: vllm.publish.transfer-handover commit


class ObjectStoreSecondaryTierManager:
    def __init__(self, agent: object) -> None:
        self._agent = agent

    def put(self, handle: int) -> None:
        self._agent.register_memory(handle)  # expect: nothing
        self._agent.transfer(handle)  # expect: vllm.publish.remote-object-tier commit


class LMCacheConnectorV1Impl:
    def __init__(self, engine: object) -> None:
        self.lmcache_engine = engine

    def save(self, tokens: list[int]) -> None:
        self.lmcache_engine.lookup_unpin("r")  # expect: nothing
        self.lmcache_engine.store(tokens)  # expect: vllm.publish.remote-lmcache commit


class Hf3fsMetadataInterface:
    def allocate_pages_for_keys(self, keys: list[str]) -> list[int]: ...

    def confirm_write_for_keys(self, keys: list[str], pages: list[int]) -> None: ...


class Pages:
    def __init__(self, client: Hf3fsMetadataInterface) -> None:
        self.client: Hf3fsMetadataInterface = client

    def save(self, keys: list[str], write_success: bool) -> None:
        pages = self.client.allocate_pages_for_keys(keys)  # expect: vllm.publish.remote-pages reserve
        if write_success:
            self.client.confirm_write_for_keys(keys, [])  # expect: vllm.publish.remote-pages commit
        else:
            self.client.confirm_write_for_keys([], pages)  # expect: vllm.publish.remote-pages revoke


class NixlPushConnectorScheduler:
    def __init__(self) -> None:
        self._push_pending_registrations: dict[str, int] = {}
        self._newly_finished_push_blocks: dict[str, list[int]] = {}

    def register(self, req_id: str) -> None:
        self._push_pending_registrations[req_id] = 1  # expect: vllm.publish.transfer-push reserve

    def over(self, req_id: str) -> None:
        self._newly_finished_push_blocks[req_id] = []  # expect: vllm.publish.transfer-push commit


class P2pNcclEngine:
    def __init__(self) -> None:
        self.recv_store: dict[str, object] = {}

    def arrived(self, name: str) -> None:
        self.recv_store[name] = name  # expect: vllm.publish.transfer-tensor-store commit

    def taken(self, name: str) -> None:
        self.recv_store.pop(name)  # expect: vllm.publish.transfer-tensor-store unpublish
