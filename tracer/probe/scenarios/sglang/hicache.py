"""SGLang's HiCache: written through to host and files, evicted from the device, loaded back, prefetched, aborted.

The engine's classes are unmodified; stood in for is what needs a GPU: the operator of sgl_kernel that copies rows
between device and host memory (by indexed copies of the same rows), and the page-locking of host memory.
"""

import json
import os
import shutil
import threading
import time
from array import array

import _sglang_parts as parts
import torch

PATHS = ("store", "load", "lookup", "evict", "abort-while-loading")
VERSIONS = ">=0.5.23"
SIZE, TOKENS = 64, 20


def run(probe):
    """What PATHS name, on the tree core of this installation and on the Python one."""
    from sglang.srt.mem_cache.utils import get_hash_str

    storage = probe.folder / "files"
    os.environ["SGLANG_HICACHE_FILE_BACKEND_STORAGE_DIR"] = str(storage)
    stand_in(probe)
    arguments = parts.configure(
        enable_hierarchical_cache=True,
        hicache_ratio=2.0,
        hicache_io_backend="direct",
        hicache_mem_layout="layer_first",
        hicache_write_policy="write_through",
        hicache_storage_backend="file",
        hicache_storage_prefetch_policy="wait_complete",
        hicache_storage_backend_extra_config=json.dumps({"prefetch_threshold": 1}),
    )
    get_hash_str([1], None)  # compiles the hash at first use
    probe.begin()  # the controller's threads are seen from their start
    caches = parts.trees(arguments, SIZE, hierarchical=True)
    probe.note("tree core chosen by this installation", next(iter(caches)))
    for name, cache in caches.items():
        if not torch.cuda.is_available():
            for entry in cache.cache_controller.mem_pool_host.entries:
                entry.host_pool.pin_memory = False
        tiers(probe, name, cache, storage)
        aborted(probe, name, cache)
        shutil.rmtree(storage)
        storage.mkdir()


def stand_in(probe):
    """Rows between device and host memory, which sgl_kernel copies where there is a GPU."""
    from sglang.srt.mem_cache.pool_host import base, common, mha

    def transfer(src_layers, dst_layers, src_indices, dst_indices, page_size):
        del page_size
        for source, target in zip(src_layers, dst_layers, strict=True):
            target[dst_indices] = source[src_indices]

    if not hasattr(mha, "transfer_kv_direct"):
        mha.transfer_kv_direct = transfer
        probe.note("stood in for", "sgl_kernel.transfer_kv_direct; page-locking of host memory")
    if not torch.cuda.is_available():
        common._cuda_host_register = base._cuda_host_unregister = lambda *_, **__: None


def until(cache, test, seconds=120.0):
    """Poll the cache's events, as the scheduler does each step, until `test` holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        cache.check_hicache_events()
        if test():
            return True
        time.sleep(0.01)
    return bool(test())


def rows(cache, slots):
    """What the pool holds in `slots`, all layers."""
    pool = cache.token_to_kv_pool_allocator.get_kvcache()
    return torch.stack([b[slots] for b in (*pool.k_buffer, *pool.v_buffer)])


def fill(cache, slots):
    """Other values into `slots`."""
    pool = cache.token_to_kv_pool_allocator.get_kvcache()
    for buffer in (*pool.k_buffer, *pool.v_buffer):
        buffer[slots] = torch.rand_like(buffer[slots])


def tiers(probe, name, cache, storage):
    """Down to the host and to files, and up again."""
    from sglang.srt.mem_cache.base_prefix_cache import EvictParams, InitLoadBackParams

    tokens = list(range(TOKENS))
    slots = cache.token_to_kv_pool_allocator.alloc(TOKENS).to(torch.int64)
    fill(cache, slots)
    wanted = rows(cache, slots)
    parts.put(cache, tokens, slots)
    written = until(cache, lambda: not cache.ongoing_write_through and not cache.ongoing_backup)
    files = until(cache, lambda: len([p for p in storage.rglob("*") if p.is_file()]) >= TOKENS)
    probe.check(written and files, f"{name}: what is inserted is written through to the host and to files")
    cache.evict(EvictParams(num_tokens=100))
    found = parts.match(cache, tokens)
    on_host = (found.device_prefix_len, found.host_hit_length) == (0, TOKENS)
    probe.check(on_host, f"{name}: evicted from the device, found on the host")
    fill(cache, slots)
    req = parts.request("load", [*tokens, 99])
    req.init_next_round_input(cache)
    loaded, node = cache.init_load_back(
        InitLoadBackParams(best_match_node=req.best_match_node, host_hit_length=req.host_hit_length, req=req)
    )
    index = cache.ready_to_load_host_cache()
    settled = until(cache, lambda: not cache.ongoing_load_back)
    probe.check(loaded == TOKENS and settled, f"{name}: loaded back to the device")
    same = torch.equal(rows(cache, cache.path_device_indices(node)), wanted)
    probe.check(same and cache.is_load_back_event_done(index), f"{name}: with the same bytes")
    cache.reset()
    probe.check(parts.match(cache, tokens).host_hit_length == 0, f"{name}: after a reset nothing is found")
    handle = req.cache_request_handle
    cache.prefetch_from_storage(handle, cache.root_node_handle(), array("q", tokens))
    done = until(cache, lambda: cache.check_prefetch_progress(handle))
    probe.check(done and parts.match(cache, tokens).host_hit_length == TOKENS, f"{name}: prefetched from the files")
    cache.reset()


class Gate:
    """The storage backend behind a gate: reads start when they are let, as on a disk that hangs."""

    def __init__(self, backend):
        self._backend, self.open, self.reading, self.ended = backend, threading.Event(), threading.Event(), 0

    def __getattr__(self, name):
        return getattr(self._backend, name)

    def batch_get(self, *args, **kwargs):
        """Read when the gate is open."""
        self.reading.set()
        self.open.wait()
        try:
            return self._backend.batch_get(*args, **kwargs)
        finally:
            self.ended += 1


def aborted(probe, name, cache):
    """Q10: a request is aborted while its pages are read from storage; who may use its host memory meanwhile?"""
    tokens = list(range(TOKENS))
    controller = cache.cache_controller
    gate = controller.storage_backend = Gate(controller.storage_backend)
    free = controller.mem_pool_host.available_size
    room = free()
    handle = parts.request("abort", [*tokens, 99]).cache_request_handle
    cache.prefetch_from_storage(handle, cache.root_node_handle(), array("q", tokens))
    probe.check(until(cache, gate.reading.is_set), f"{name}: the pages of a request are being read")
    held = room - free()
    probe.check(held == TOKENS, f"{name}: host memory for them is taken")
    cache.release_aborted_request(handle)
    probe.mark("aborted", held=held)
    end = time.monotonic() + 1
    until(cache, lambda: time.monotonic() > end)
    during = room - free()
    probe.mark("while the read goes on", held=during)
    reused = during < held
    probe.note(
        f"Q10 ({name})",
        "the memory of an aborted prefetch is free while the read goes on"
        if reused
        else "the memory of an aborted prefetch is kept until the read ended",
    )
    gate.open.set()
    probe.check(until(cache, lambda: gate.ended), f"{name}: the read ends")
    probe.check(until(cache, lambda: free() == room), f"{name}: all host memory is given back")
    probe.check(
        parts.match(cache, tokens).host_hit_length == 0, f"{name}: nothing of the aborted prefetch is published"
    )
    controller.storage_backend = gate._backend
