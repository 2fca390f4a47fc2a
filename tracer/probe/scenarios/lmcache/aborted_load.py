"""A load from two L2 tiers is given up because one of them fails while the other still writes: who gets its buffer?

The two tiers are own classes, loaded through the engine's plug-in adapter: they keep objects in memory; one of them
loads when it is let, the other raises when it is asked for its result.
"""

from __future__ import annotations

import _lmcache_parts as parts
import _lmcache_tiers as tiers

PATHS = ("abort-while-loading stack=mp",)
VERSIONS = ">=0.5"


def run(probe):
    """Q10: whether the buffer of an aborted load is used again before the load ended."""
    from lmcache.v1.distributed.storage_manager import StorageManager

    own = [{"type": "plugin", "module_path": "_lmcache_tiers", "class_name": n} for n in ("Slow", "Failing")]
    probe.begin()
    manager = StorageManager(parts.storage(own))
    probe.note("stood in for", "two L2 adapters, through the engine's plug-in type")
    keys = parts.keys_of(0, 4)
    probe.check(parts.write(manager, keys, [1, 1, 1, 1]), "four objects are written")
    (slow, failing) = (adapter for _, adapter in manager.l2_adapters())
    stored = parts.until(lambda: all(t.debug_get_stored_object_count() == 4 for t in (slow, failing)))
    probe.check(stored, "both tiers hold them")
    slow.delete(keys[2:])
    failing.delete(keys[:2])
    parts.until(lambda: manager.delete_l1_keys(keys)[1] == 0)
    try:
        given_up(probe, manager, keys, slow)
    finally:
        tiers.GATE.set()
        manager.close()


def given_up(probe, manager, keys, slow):
    """Abort, then another writer, then the end of the load that was given up."""
    found = parts.prefetch(manager, keys)
    probe.check(found == 0, "the request is told that nothing was loaded")
    probe.check(slow.loading, "one tier is still loading into the buffers of the request")
    staged = manager._l1_manager.get_staging_memory_usage()
    probe.mark("the request's buffers were given back", staged_bytes=staged)
    others = parts.keys_of(500, parts.ROOM - 4)
    buffers = manager.reserve_write(others, parts.layout())
    for buffer in buffers.values():
        buffer.tensor.fill_(9)
    manager.finish_write(list(buffers))
    again = [k for k, b in buffers.items() if b.tensor.data_ptr() in slow.loading]
    probe.mark("other objects were published", objects=len(buffers), in_buffers_still_written=len(again))
    tiers.GATE.set()
    probe.check(parts.until(lambda: slow.loads_ended), "the load that was given up ends")
    probe.mark("the load that was given up ended")
    read = parts.prefetch(manager, others)
    values = parts.first_byte(manager, others)
    manager.finish_read_prefetched(others)
    probe.check(read == len(others), "the other objects are found")
    wrong = sum(v != 9 for v in values)
    if again:
        probe.note(
            "Q10",
            f"reused: {len(again)} buffers were given to other writers before the load ended; "
            f"{wrong} published objects hold the bytes of the aborted load",
        )
    else:
        probe.note("Q10", "not reused before the load ended")
    probe.check((wrong > 0) == bool(again), "other objects are damaged exactly where buffers were used again")
