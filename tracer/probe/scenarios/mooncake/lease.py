"""A read grants a lease: the object cannot be removed while it runs, and can be after it."""

import time
from typing import Any

from _cluster import Cluster

PATHS = ("lookup", "load")
LEASE = 8.0  # seconds
HAS_LEASE = -706


def run(probe: Any) -> None:
    """Remove without a lease, under a lease, under a renewed lease, after it."""
    with Cluster(probe, default_kv_lease_ttl=int(LEASE * 1000)) as cluster:
        owner, reader = cluster.client("owner"), cluster.client("reader", segment=0)
        probe.begin()
        for key in ("unread", "read", "forced"):
            probe.check(owner("put", key, {"size": 4096, "fill": 1}) == 0, f"put {key} returns 0")
        probe.check(owner("remove", "unread") == 0, "what nobody read can be removed at once")
        granted = time.monotonic()
        probe.check(reader("get", "read") == {"size": 4096, "fill": 1}, "the object is read")
        failures = cluster.metric("master_remove_failures_total")
        status = owner("remove", "read")
        probe.check(status == HAS_LEASE, f"removing it while the lease runs is refused with {HAS_LEASE}")
        probe.check(
            cluster.metric("master_remove_failures_total") == failures + 1, "the master counted one refused removal"
        )
        probe.check(reader("is_exist", "read") == 1, "the object is still found (which renews the lease)")
        time.sleep(max(0.0, granted + LEASE - time.monotonic() + 0.3))
        first = owner("remove", "read")
        refused = 0
        while first == HAS_LEASE and refused < 200:
            refused += 1
            time.sleep(0.1)
            first = owner("remove", "read")
        waited = time.monotonic() - granted
        probe.check(first == 0 and waited >= LEASE, "after the lease it is removed, not before")
        probe.check(reader("is_exist", "read") == 0, "it is found no more")
        reader("get", "forced")
        probe.check(owner("remove", "forced", True) == 0, "a forced removal does not wait for the lease")
        probe.note("lease_seconds", LEASE)
        probe.note("seconds_from_read_to_removal", round(waited, 2))
        probe.end()
