"""LMCache inside one process: look up, store, look up with a pin, load, evict around the pin, clear; then with disk.

Stood in for are the GPU's paged buffers, by a tensor on the CPU behind the engine's own connector interface.
"""

from __future__ import annotations

import time

import _lmcache_parts as parts
import torch
from lmcache.v1.gpu_connector.mock_gpu_connector import MockGPUConnector

PATHS = ("store stack=in-process",)  # look-up and load start in vLLM, which is not here
VERSIONS = ">=0.5"
CHUNK, LAYERS, HEADS, WIDTH = 16, 4, 4, 64  # 128 KiB a chunk
TOKENS = 64
ROOM = 0.01  # GiB of host memory, and of disk: twenty prompts


def run(probe):
    """In memory alone, then with the disk behind it."""
    probe.begin()
    hot = build("host", Rows())
    cold = build("disk", Rows(), str(probe.folder / "disk"))
    probe.note("stood in for", "the GPU's paged buffers (a CPU tensor behind GPUConnectorInterface)")
    host(probe, hot)
    disk(probe, cold, probe.folder / "disk")
    from lmcache.v1.cache_engine import LMCacheEngineBuilder

    LMCacheEngineBuilder.destroy("host")
    LMCacheEngineBuilder.destroy("disk")


class Rows(MockGPUConnector):
    """The paged buffers as one tensor on the CPU, [2, layers, tokens, width]; copies are real."""

    def __init__(self):
        super().__init__((LAYERS, 2, CHUNK, HEADS, WIDTH))
        self.rows = torch.zeros(2, LAYERS, TOKENS, HEADS * WIDTH, dtype=torch.float32)

    def batched_from_gpu(self, memory_objs, starts, ends, **_):
        """Out of the buffers."""
        for memory, start, end in zip(memory_objs, starts, ends, strict=True):
            memory.tensor.copy_(self.rows[:, :, start:end])

    def batched_to_gpu(self, memory_objs, starts, ends, **_):
        """Into the buffers."""
        for memory, start, end in zip(memory_objs, starts, ends, strict=True):
            self.rows[:, :, start:end].copy_(memory.tensor)


def build(name, connector, folder=None):
    """An engine of that name."""
    from lmcache.v1.cache_engine import LMCacheEngineBuilder
    from lmcache.v1.config import LMCacheEngineConfig
    from lmcache.v1.metadata import LMCacheMetadata

    options = {"chunk_size": CHUNK, "local_cpu": True, "max_local_cpu_size": ROOM}
    if folder is not None:
        options |= {"local_disk": f"file://{folder}/", "max_local_disk_size": ROOM}
    metadata = LMCacheMetadata(
        "tiny", 1, 1, 0, 0, torch.float32, (LAYERS, 2, CHUNK, HEADS, WIDTH), chunk_size=CHUNK, role="worker"
    )
    config = LMCacheEngineConfig.from_defaults(**options)
    engine = LMCacheEngineBuilder.get_or_create(
        name, config, metadata, connector, lambda *_: None, lambda thing, _: thing
    )
    engine.post_init()
    return engine


def prompt(n):
    """The nth prompt: TOKENS tokens of its own."""
    return [n * 1000 + t for t in range(TOKENS)]


def round_trip(probe, name, engine, tokens):
    """Store, find, load; what was stored."""
    connector = engine.gpu_connector
    probe.check(engine.lookup(tokens) == 0, f"{name}: nothing is found before the store")
    wanted = torch.rand_like(connector.rows)
    connector.rows.copy_(wanted)
    engine.store(tokens)
    found = engine.lookup(tokens, lookup_id="r1", pin=True)
    probe.check(found == TOKENS, f"{name}: after the store all is found, and pinned")
    connector.rows.zero_()
    got = int(engine.retrieve(tokens).sum())
    probe.check(got == TOKENS and torch.equal(connector.rows, wanted), f"{name}: it is loaded with the same bytes")
    return wanted


def host(probe, engine):
    """Memory alone."""
    tokens = prompt(0)
    round_trip(probe, "host", engine, tokens)
    for n in range(1, 24):
        engine.store(prompt(n))
    probe.check(engine.lookup(prompt(1)) < TOKENS, "host: the oldest unpinned prompt has been evicted")
    probe.check(engine.lookup(tokens) == TOKENS, "host: what is pinned stays")
    engine.lookup_unpin("r1")
    cleared = engine.clear()
    probe.check(cleared > 0 and engine.lookup(tokens) == 0, "host: after clear nothing is found")
    probe.check(engine.health() == 0, "host: no memory is lost")


def disk(probe, engine, folder):
    """A file a chunk."""
    tokens = prompt(50)
    wanted = round_trip(probe, "disk", engine, tokens)
    engine.lookup_unpin("r1")
    written = parts.until(lambda: engine.lookup(tokens, search_range=["LocalDiskBackend"]) == TOKENS)
    files = len([p for p in folder.rglob("*") if p.is_file()])
    probe.check(written and files == TOKENS // CHUNK, "disk: every chunk is in a file of its own")
    engine.clear(locations=["LocalCPUBackend"])
    hot = engine.lookup(tokens, search_range=["LocalCPUBackend"])
    probe.check(hot == 0, "disk: the copy in memory is dropped")
    engine.gpu_connector.rows.zero_()
    found = engine.lookup(tokens, lookup_id="r2", pin=True)
    got = int(engine.retrieve(tokens).sum())
    same = torch.equal(engine.gpu_connector.rows, wanted)
    probe.check(found == got == TOKENS and same, "disk: it is loaded from the files with the same bytes")
    engine.lookup_unpin("r2")
    for n in range(51, 80):
        engine.store(prompt(n))
        time.sleep(0.01)
    full = parts.until(lambda: engine.lookup(tokens, search_range=["LocalDiskBackend"]) < TOKENS)
    probe.check(full, "disk: the oldest file is removed when its share is full")
