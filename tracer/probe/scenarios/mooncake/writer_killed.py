"""The writer dies between start and end: nobody sees its object, its space is not used again before the time-out."""

import signal
import time
from typing import Any

from _cluster import MB, Cluster

PATHS = ("store", "evict")
DISCARD, RELEASE = 8, 20  # seconds after the start: the key may be put again; the space may be used again
SEGMENT = 64 * MB
LARGE = 40 * MB  # two do not fit


def run(probe: Any) -> None:
    """Kill the writer in the middle of its transfer, then try to use the key and the space."""
    flags = {
        "client_ttl": 300, "put_start_discard_timeout_sec": DISCARD, "put_start_release_timeout_sec": RELEASE,
        "default_kv_lease_ttl": 20_000,
    }  # fmt: skip
    with Cluster(probe, **flags) as cluster:
        owner = cluster.client("owner", segment=SEGMENT, watched=False)
        writer = cluster.client("writer", segment=0, buffer=64 * MB)
        other = cluster.client("other", segment=0, buffer=64 * MB)
        probe.begin()
        starts = cluster.metric("master_put_start_requests_total")
        owner.signal(signal.SIGSTOP)
        try:
            writer.send("put", "lost", {"size": LARGE, "fill": 1})
            began = cluster.until(lambda: cluster.metric("master_put_start_requests_total") > starts, 30)
            since = time.monotonic()
            probe.check(began, "the master counted the start of the put")
            writer.kill()
        finally:
            owner.signal(signal.SIGCONT)
        probe.check(cluster.metric("master_put_end_requests_total") == 0, "the put never ended")
        taken = cluster.metric("master_allocated_bytes")
        probe.check(taken >= LARGE, "its space is taken")
        probe.check(other("is_exist", "lost") == 0, "a look-up does not find it")
        early = other("put", "next", {"size": LARGE, "fill": 2})
        tried = time.monotonic() - since
        if tried < RELEASE:
            probe.check(early != 0, "another object of that size finds no space")
        time.sleep(max(0.0, DISCARD + 1 - (time.monotonic() - since)))
        status = other("put", "lost", {"size": 4096, "fill": 3})
        probe.check(status == 0, "after the first time-out the key can be put again")
        probe.check(other("get", "lost") == {"size": 4096, "fill": 3}, "and the new object is read")
        held = cluster.metric("master_allocated_bytes")
        if time.monotonic() - since < RELEASE:
            probe.check(held >= LARGE, "the space of the dead put is still not free")
        freed = cluster.until(lambda: cluster.metric("master_allocated_bytes") < LARGE, RELEASE * 4)
        after = time.monotonic() - since
        probe.check(freed and after >= RELEASE - 1, "it becomes free after the second time-out, not before")
        probe.check(other("put", "next", {"size": LARGE, "fill": 4}) == 0, "then an object of that size is put")
        probe.check(other("get", "next") == {"size": LARGE, "fill": 4}, "and read whole")
        probe.note("seconds_until_free", round(after, 1))
        probe.note("time_outs", {"discard": DISCARD, "release": RELEASE})
        probe.end()
