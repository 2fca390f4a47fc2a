"""What LMCache's scenarios share: patience, keys, the distributed manager. Runs in the engine's interpreter."""

import socket
import time

import torch

SIZE = 64 << 10  # bytes of one object
ROOM = 16  # objects that fit into L1


def until(test, seconds=60.0):
    """Whether `test` came true in time; it is asked again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if test():
            return True
        time.sleep(0.02)
    return bool(test())


def layout():
    """One object: SIZE bytes."""
    from lmcache.v1.distributed.api import MemoryLayoutDesc

    return MemoryLayoutDesc([torch.Size([SIZE])], [torch.uint8])


def keys_of(first, count):
    """`count` keys of one model."""
    from lmcache.v1.distributed.api import ObjectKey

    return [ObjectKey(ObjectKey.IntHash2Bytes(n), "tiny", 1) for n in range(first, first + count)]


def storage(adapters, write_ttl=600, room=ROOM, shm_name="", watermark=0.8):
    """A configuration of the distributed manager: `room` objects of L1, and these L2 adapters ({"type": …})."""
    from lmcache.v1.distributed.config import (
        EvictionConfig,
        L1ManagerConfig,
        L1MemoryManagerConfig,
        StorageManagerConfig,
    )
    from lmcache.v1.distributed.l2_adapters.config import L2AdaptersConfig, get_l2_adapter_config_class

    memory = L1MemoryManagerConfig(SIZE * room, use_lazy=False, shm_name=shm_name)
    return StorageManagerConfig(
        L1ManagerConfig(memory, write_ttl_seconds=write_ttl, read_ttl_seconds=300),
        EvictionConfig("LRU", trigger_watermark=watermark, eviction_ratio=0.3),
        L2AdaptersConfig([get_l2_adapter_config_class(a["type"]).from_dict(a) for a in adapters]),
    )


def prefetch(manager, keys, wait=60.0, **options):
    """How many of `keys` a reader gets, with read holds on them."""
    from lmcache.v1.distributed.api import GroupedObjectKeys, PrefetchTaskSpec

    handle = manager.submit_prefetch_task(PrefetchTaskSpec([GroupedObjectKeys(keys, 0, layout())]), **options)
    manager.wait_prefetch_status(handle, wait)
    result = manager.query_prefetch_status(handle)
    return -1 if result is None else sum(cells.popcount() for cells in result.hit_cells)


def first_byte(manager, keys):
    """The first byte of each object that a reader holds."""
    with manager.read_prefetched_results(keys) as objects:
        return [int(o.tensor.view(-1)[0]) for o in objects or ()]


def write(manager, keys, values):
    """Reserve, fill and commit; whether all could be reserved."""
    buffers = manager.reserve_write(keys, layout())
    for key, value in zip(keys, values, strict=True):
        if key in buffers:
            buffers[key].tensor.fill_(value)
    manager.finish_write(list(buffers))
    return len(buffers) == len(keys)


def serve(folder, mode, chunk, shared=False):
    """A multiprocess server in this process, with files in `folder` as its L2: (server, engine, port)."""
    from lmcache.v1.mp_observability.config import ObservabilityConfig
    from lmcache.v1.multiprocess.config import MPServerConfig
    from lmcache.v1.multiprocess.server import run_cache_server

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    files = folder / "l2"
    files.mkdir(parents=True)
    segment = f"tracer_probe_{port}" if shared else ""
    config = MPServerConfig(
        host="127.0.0.1", port=port, chunk_size=chunk, supported_transfer_mode=mode, shm_name=segment
    )
    server, engine = run_cache_server(
        config,
        storage([{"type": "fs_native", "base_path": str(files)}], room=64, shm_name=segment),
        ObservabilityConfig(metrics_enabled=False),
        return_engine=True,
        start_prometheus_http_server=False,
    )
    return server, engine, port
