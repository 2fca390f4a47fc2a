"""The distributed manager: reserve, commit, read under a hold, spill to files, load back, evict, a load that fails."""

from __future__ import annotations

import _lmcache_parts as parts

PATHS = ("evict stack=mp",)
VERSIONS = ">=0.5"


def run(probe):
    """What PATHS name, on L1 memory and an L2 of files."""
    from lmcache.v1.distributed.storage_manager import StorageManager

    files = probe.folder / "files"
    probe.begin()  # the manager's threads are seen from their start
    manager = StorageManager(parts.storage([{"type": "fs", "base_path": str(files)}]))
    try:
        written(probe, manager, files)
        evicted(probe, manager)
        cut_short(probe, manager, files)
    finally:
        manager.close()


def written(probe, manager, files):
    """Q8: what is reserved is invisible until the commit. Q9: what is held cannot be removed."""
    keys = parts.keys_of(0, 4)
    buffers = manager.reserve_write(keys, parts.layout())
    probe.check(len(buffers) == 4, "four buffers are reserved")
    probe.check(parts.prefetch(manager, keys) == 0, "what is reserved is invisible to a reader")
    for n, buffer in enumerate(buffers.values()):
        buffer.tensor.fill_(n + 1)
    manager.finish_write(keys)
    probe.check(parts.prefetch(manager, keys) == 4, "after the commit a reader finds all")
    probe.check(parts.first_byte(manager, keys) == [1, 2, 3, 4], "it reads what was written")
    probe.check(manager.delete_l1_keys(keys) == (0, 4), "removal is refused while the reader holds them")
    manager.finish_read_prefetched(keys)
    spilled = parts.until(lambda: len(list(files.rglob("*.data"))) == 4)
    probe.check(spilled, "all four are written to files")
    parts.until(lambda: manager.delete_l1_keys(keys)[1] == 0)
    gone = parts.prefetch(manager, keys, skip_l2=True)
    probe.check(gone == 0, "after the holds ended they can be removed from memory")
    probe.check(parts.prefetch(manager, keys) == 4, "they are loaded back from the files")
    probe.check(parts.first_byte(manager, keys) == [1, 2, 3, 4], "with the same bytes")
    manager.finish_read_prefetched(keys)


def evicted(probe, manager):
    """More than L1 holds: the loop makes room."""
    first, count = 100, parts.ROOM + 6
    fitted = [
        parts.until(lambda n=n: parts.write(manager, parts.keys_of(n, 1), [1])) for n in range(first, first + count)
    ]
    probe.check(all(fitted), "room is made for more objects than memory holds")
    kept = parts.prefetch(manager, parts.keys_of(first, 1), skip_l2=True)
    probe.check(kept == 0, "the oldest has left the memory")


def cut_short(probe, manager, files):
    """A file that lost its second half: the load fails."""
    key = parts.keys_of(1000, 1)
    name = f"{key[0].chunk_hash.hex()}.data"
    parts.until(lambda: parts.write(manager, key, [1]))
    parts.until(lambda: any(p.name.endswith(name) for p in files.rglob("*.data")))
    parts.until(lambda: manager.delete_l1_keys(key)[1] == 0)
    for file in files.rglob("*.data"):
        if file.name.endswith(name):
            file.write_bytes(file.read_bytes()[: parts.SIZE // 2])
    found = parts.prefetch(manager, key)
    staged = manager._l1_manager.get_staging_memory_usage()
    probe.check(found == 0 and staged == 0, "a load that fails is no hit and leaves no buffer behind")
