"""More is put than fits: objects without a lease are evicted, those that were read just now are not."""

from typing import Any

from _cluster import MB, Cluster

PATHS = ("evict",)


def run(probe: Any) -> None:
    """Fill the segment past the high-water mark, renewing the lease of one object all the while."""
    flags = {"default_kv_lease_ttl": 4000, "eviction_high_watermark_ratio": 0.8, "eviction_ratio": 0.2}
    with Cluster(probe, **flags) as cluster:
        owner, reader = cluster.client("owner", segment=32 * MB), cluster.client("reader", segment=0)
        probe.begin()
        probe.check(owner("put", "kept", {"size": MB, "fill": 9}) == 0, "put returns 0")
        refused = 0
        always = True
        for number in range(60):
            always &= reader("is_exist", "kept") == 1
            if owner("put", f"filler-{number}", {"size": MB, "fill": number}) != 0:
                refused += 1
                cluster.until(lambda: cluster.metric("master_allocated_bytes") < 26 * MB, 10)
            if cluster.metric("master_evicted_key_count") > 8 and number > 30:
                break
        evicted = cluster.until(lambda: cluster.metric("master_evicted_key_count") > 0, 15)
        probe.check(always, "the object that is asked for before each put is always found")
        probe.check(evicted, "the master counted evicted keys")
        gone = sum(1 for n in range(number) if owner("is_exist", f"filler-{n}") == 0)
        probe.check(gone > 0, "objects that nobody read are gone")
        probe.check(reader("get", "kept") == {"size": MB, "fill": 9}, "the leased object is whole")
        probe.note("refused_puts", refused)
        probe.note("gone", gone)
        probe.end()
