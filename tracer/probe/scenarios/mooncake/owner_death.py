"""The client whose memory holds an object dies: the master misses its pings, and the object is found no more."""

import time
from typing import Any

from _cluster import Cluster

PATHS = ("owner-death",)
PATIENCE = 6  # seconds without a ping


def run(probe: Any) -> None:
    """Put into the owner's memory, kill the owner, look from another client."""
    with Cluster(probe, client_ttl=PATIENCE, default_kv_lease_ttl=500) as cluster:
        owner = cluster.client("owner", watched=False)
        reader = cluster.client("reader", segment=0)
        probe.begin()
        probe.check(reader("put", "key", {"size": 65536, "fill": 5}) == 0, "the object lies in the owner's memory")
        probe.check(reader("is_exist", "key") == 1, "it is found")
        owner.kill()
        since = time.monotonic()
        probe.check(reader("is_exist", "key") == 1, "just after the death it is still found")
        try:
            value = reader("get", "key")
        except RuntimeError as error:
            value = {"size": 0, "error": str(error)}
        probe.check(value.get("size") == 0, "but cannot be read")
        gone = cluster.until(lambda: cluster.metric("master_total_capacity_bytes") == 0, PATIENCE * 10)
        waited = time.monotonic() - since
        probe.check(gone, "the master took the owner's segment out")
        probe.check(waited >= PATIENCE - 2, "after it had missed pings for its patience, not at once")
        probe.check(reader("is_exist", "key") == 0, "the object is found no more")
        probe.note("seconds_until_gone", round(waited, 1))
        probe.end()
