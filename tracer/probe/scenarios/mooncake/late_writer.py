"""A writer halts in the middle of its transfer until its space is given to another object, and then goes on.

The master frees the space of a put that did not end after a time-out, and has no way to halt the transfer itself: the
bytes that come late are written where the other object now lies. The note `late_bytes_in_new_object` says what was
seen.
"""

import signal
import time
from typing import Any

from _cluster import MB, Cluster

PATHS = ("store",)
DISCARD, RELEASE = 12, 24
LARGE = 192 * MB
SEGMENT = 208 * MB  # one fits, not two: the next object takes the same space


def run(probe: Any) -> None:
    """Halt the writer, let the time-outs pass, put another object, let the writer go on, read."""
    flags = {
        "client_ttl": 300, "put_start_discard_timeout_sec": DISCARD, "put_start_release_timeout_sec": RELEASE,
        "default_kv_lease_ttl": 60_000, "eviction_high_watermark_ratio": 0.99,
    }  # fmt: skip
    with Cluster(probe, **flags) as cluster:
        owner = cluster.client("owner", segment=SEGMENT, watched=False)
        writer = cluster.client("writer", segment=0, buffer=LARGE + 16 * MB, watched=False)
        other = cluster.client("other", segment=0, buffer=LARGE + 16 * MB)
        probe.begin()
        starts = cluster.metric("master_put_start_requests_total")
        writer.send("put", "late", {"size": LARGE, "fill": 1})
        while cluster.metric("master_put_start_requests_total") == starts:
            pass
        writer.signal(signal.SIGSTOP)
        since = time.monotonic()
        try:
            if cluster.metric("master_put_end_requests_total"):
                probe.skip("the transfer ended before the writer could be halted")
            probe.check(other("is_exist", "late") == 0, "the halted put is not found")
            cluster.until(lambda: time.monotonic() - since > DISCARD + 1, 60)
            # the put of the same key lets the master set the halted one aside; it is freed after the second time-out
            other("put", "late", {"size": 4096, "fill": 3})
            freed = cluster.until(lambda: cluster.metric("master_allocated_bytes") < LARGE, 60)
            after = time.monotonic() - since
            probe.check(freed and after >= RELEASE - 1, "its space is free after the second time-out, not before")
            other("remove", "late", True)
            probe.check(other("put", "new", {"size": LARGE, "fill": 2}) == 0, "another object takes the space")
            fresh = other("get", "new")
            probe.note("value_read_before", fresh)
            probe.check(fresh == {"size": LARGE, "fill": 2}, "and is read whole")
        finally:
            writer.signal(signal.SIGCONT)
        status = writer.wait()
        probe.check(status != 0, "the late writer is told that its put failed")
        time.sleep(0.5)
        value = other("get", "new")
        probe.note("late_put_status", status)
        probe.note("seconds_halted", round(after, 1))
        overwritten = value != {"size": LARGE, "fill": 2}
        probe.note("late_bytes_in_new_object", overwritten)
        probe.note("value_read_afterwards", value)
        probe.mark("late_bytes_in_new_object", seen=overwritten)
        probe.check(value.get("size") == LARGE, "the new object is still found and has its size")
        probe.end()
        _ = owner
