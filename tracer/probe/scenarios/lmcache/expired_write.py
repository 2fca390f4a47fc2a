"""A writer is silent for longer than its reservation lives: who gets its buffer, and what do readers see?"""

from __future__ import annotations

import time

import _lmcache_parts as parts

VERSIONS = ">=0.5"
LIVES = 1  # seconds


def run(probe):
    """Q8 and Q10 for a write that took too long."""
    from lmcache.v1.distributed.storage_manager import StorageManager

    probe.begin()
    manager = StorageManager(parts.storage([], write_ttl=LIVES))
    try:
        taken_over(probe, manager)
        too_late(probe, manager)
    finally:
        manager.close()


def taken_over(probe, manager):
    """Two writers of one key."""
    key = parts.keys_of(2000, 1)
    slow = manager.reserve_write(key, parts.layout())[key[0]]
    slow.tensor.fill_(7)
    probe.check(not manager.reserve_write(key, parts.layout()), "a second writer is refused while the first holds")
    time.sleep(LIVES + 0.3)
    taken = manager.reserve_write(key, parts.layout())
    probe.check(taken, "after the time-out a second writer is let in")
    same = taken[key[0]].tensor.data_ptr() == slow.tensor.data_ptr()
    taken[key[0]].tensor.fill_(9)
    manager.finish_write(key)
    probe.mark("the second writer committed")
    slow.tensor.fill_(7)
    probe.mark("the first writer's transfer ended")
    probe.check(parts.prefetch(manager, key) == 1, "the object is found")
    value = parts.first_byte(manager, key)[0]
    manager.finish_read_prefetched(key)
    probe.check((value == 7) == same, "readers see the late bytes exactly where the buffer was handed over")
    probe.note(
        "Q10",
        f"the buffer of a timed-out writer was {'given to' if same else 'kept from'} the next one; "
        f"readers see the {'late' if value == 7 else 'committed'} bytes",
    )


def too_late(probe, manager):
    """A commit after the time-out, with nobody else there."""
    key = parts.keys_of(2001, 1)
    manager.reserve_write(key, parts.layout())
    time.sleep(LIVES + 0.3)
    manager.finish_write(key)
    probe.check(parts.prefetch(manager, key) == 0, "a commit after the time-out publishes nothing")
    manager.delete_l1_keys(key)
    probe.check(manager._l1_manager.get_staging_memory_usage() == 0, "its buffer is given back")
